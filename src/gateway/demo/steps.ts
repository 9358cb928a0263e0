/** What a request asks for, step by step: "Read a.txt, then run the tests" is two. English only. */
import { mask, QUOTE_SOURCE, quotedIn, unmask } from './quoted.ts'

export type StepKind =
  | 'read'
  | 'list'
  | 'find'
  | 'search'
  | 'run'
  | 'write'
  | 'edit'
  | 'fetch'
  | 'look-up'
  /** Nothing that is known here; a tool may be named, or have the words of the request in its name. */
  | 'other'

/** What a step says about the arguments of a call, whatever the tool calls them. */
export interface StepValues {
  readonly path?: string
  readonly dir?: string
  /** Of file names. */
  readonly pattern?: string
  readonly query?: string
  readonly command?: string
  readonly content?: string
  readonly before?: string
  readonly after?: string
  readonly url?: string
}

export interface Step {
  readonly kind: StepKind
  readonly values: StepValues
  /** The step in the user's words, and the texts in quotation marks among them. */
  readonly words: string
  /** The words without what is quoted. */
  readonly bare: string
  readonly quoted: readonly string[]
}

export interface Plan {
  readonly steps: readonly Step[]
  /** The user wants words and no calls. */
  readonly isForbidden: boolean
}

/** More steps than people ask for at once. */
const MAX_STEPS = 12

export function planOf(request: string): Plan {
  const { text: whole, quoted } = mask(request)
  const text = withoutGiven(whole)
  if (FORBIDS.test(text)) return { steps: [], isForbidden: true }
  const clauses = clausesOf(text).filter((clause) => !isNoStep(clause))
  const steps = withPronouns(clauses.flatMap((clause) => stepsOf(clause, quoted)))
  const known = steps.filter(({ kind }) => kind !== 'other')
  const isForbidden = steps.length === 0 && clausesOf(text).length > 0
  // Where something is clear, the sentences around it are explanations.
  return { steps: (known.length > 0 ? withNamed(steps) : steps).slice(0, MAX_STEPS), isForbidden }
}

/** Sentences that ask for nothing that is known may still name a tool. */
function withNamed(steps: readonly Step[]): readonly Step[] {
  return steps.filter(({ kind, bare }) => kind !== 'other' || /\b(?:use|call|using)\b/i.test(bare))
}

/** "Read it back": the file of the step before. */
function withPronouns(steps: readonly Step[]): readonly Step[] {
  let path: string | undefined
  return steps.map((step) => {
    path = step.values.path ?? path
    if (step.kind !== 'other' || path === undefined || !READS_IT.test(step.bare)) return step
    return { ...step, kind: 'read', values: { path } }
  })
}

const READS_IT = /^(?:read|show|open|print|cat|check|view)\b.*\b(?:it|that|(?:the|this) file)\b/i

/** A text to work on is no request, whatever it says. */
function withoutGiven(text: string): string {
  const [found] = GIVEN.exec(text) ?? []
  const end = found === undefined ? text.length : text.indexOf(found) + found.length
  return text.slice(0, end).replace(/^[ \t]*>.*$/gm, '')
}

const GIVEN =
  /\b(?:summari[sz]e|explain|translate|rephrase|proofread|review|describe|classify|rewrite|correct|repeat|quote|says?|said|reads|mean)\b[^\n.!?]{0,80}:\s/i

// ── sentences ───────────────────────────────────────────────────────────────────────────────────

const VERBS =
  'read|open|show|display|print|cat|view|check|look|inspect|summari[sz]e|list|find|search|grep|locate|run|execute|' +
  'write|create|save|make|add|put|replace|change|edit|fetch|get|download|visit|call|use|tell'

const SPLIT = new RegExp(
  `(?<=[.!?])\\s+|\\n+|;\\s+|,?\\s+(?:and\\s+then|then|after\\s+that|afterwards)\\s+|,?\\s+and\\s+(?=(?:${VERBS})\\b)`,
  'iu',
)

/** A block of code below the sentence that it belongs to. */
const MARK_BELOW = new RegExp(`(:)[ \\t]*\\n+(${QUOTE_SOURCE})`, 'gu')

const POLITE =
  /^(?:(?:please|kindly|now|then|next|first|second|third|finally|lastly|also|ok|okay|hi|hello|hey|and|so|but|could you|can you|would you|will you|i want you to|i'd like you to|i would like you to|i need you to|you should|let's|let us|go ahead and|try to|just|only)\b[,!]?\s+)+/i

/** Numbers and marks of a list. */
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/

function clausesOf(text: string): readonly string[] {
  return text
    .replace(MARK_BELOW, '$1 $2')
    .split(SPLIT)
    .map((clause) => clause.replace(BULLET, '').trim().replace(POLITE, '').trim())
    .filter((clause) => clause !== '')
}

const NOT =
  "(?:do not|don['’]?t|never|without|no need to|must not|mustn['’]?t|should not|shouldn['’]?t|cannot|can['’]?t|not)"
const ACTING = '(?:run|call|us|execut|invok|launch|start|chang|touch|do)(?:e|es|ing|ning)?'

/** "Do not run anything", "without using tools": holds for all of the request. */
const FORBIDS = new RegExp(
  `\\b${NOT}\\s+(?:\\w+\\s+){0,2}?${ACTING}\\s+(?:any\\s*(?:thing|\\w+)?|tools?|commands?|the\\s+tools?)\\b|\\bno\\s+(?:tools?|tool\\s+calls?|commands?)\\b|\\b(?:only|just)\\s+(?:explain|describe|answer in words)\\b`,
  'iu',
)

/** What is not to be done. */
function isNoStep(clause: string): boolean {
  return NO_STEP.test(clause)
}

const NO_STEP = new RegExp(
  `^(?:${NOT}|avoid|refrain)\\b|\\bwithout\\s+(?:running|executing|calling)`,
  'iu',
)

// ── one sentence ────────────────────────────────────────────────────────────────────────────────

type Reader = (clause: Clause) => readonly (StepValues & { readonly kind: StepKind })[] | undefined

interface Clause {
  /** Masked, without the full stop. */
  readonly text: string
  value(part: string | undefined): string
}

/** The first that understands a sentence counts. */
const READERS: readonly Reader[] = [
  readFetch,
  readEdit,
  readWrite,
  readRun,
  readLookUp,
  readFind,
  readList,
  readSearch,
  readRead,
]

function stepsOf(clause: string, quoted: readonly string[]): Step[] {
  const common = {
    words: unmask(clause, quoted),
    bare: clause.replace(new RegExp(QUOTE_SOURCE, 'gu'), ' '),
    quoted: quotedIn(clause, quoted),
  }
  const plain = clause
    .replace(/^use\s+(?:the\s+)?\S+(?:\s+tool)?\s+(?:to|and)\s+/i, '')
    .replace(/[.!?:,]+$/, '')
  const read: Clause = { text: plain, value: (part = '') => unmask(part, quoted).trim() }
  for (const reader of READERS) {
    const found = reader(read)
    if (found) return found.map(({ kind, ...values }) => ({ ...common, kind, values }))
  }
  return [{ ...common, kind: 'other', values: {} }]
}

/** A file or folder: with a slash, or with an extension that begins with a letter. */
const PATH = String.raw`(?:~?\.{0,2}\/)?(?:[\p{L}\p{N}_@.+-]+\/)*[\p{L}\p{N}_@.+-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\p{L}\p{N}/])|(?:~?\.{0,2}\/)?(?:[\p{L}\p{N}_@.+-]+\/)+[\p{L}\p{N}_@.+-]*|\b(?:Makefile|Dockerfile|README|LICENSE|CHANGELOG)\b`
const WORD = String.raw`${QUOTE_SOURCE}|[^\s,;]+`
const FILE = `(?:${QUOTE_SOURCE}|${PATH})`
const URL_SOURCE = String.raw`https?:\/\/[^\s<>"'\u{E000}]+`

function matcher(source: string): RegExp {
  return new RegExp(source, 'iu')
}

function pathIn(clause: string): string | undefined {
  const found = new RegExp(PATH, 'u').exec(clause)?.[0]
  return found === undefined || /^(?:e\.g|i\.e)$/i.test(found)
    ? undefined
    : found.replace(/\.$/, '')
}

const FETCH = matcher(
  String.raw`^(?:fetch|open|get|download|read|visit|browse|look\s+at|summari[sz]e|show|check|load)\b`,
)

function readFetch({ text, value }: Clause): ReturnType<Reader> {
  const plain = value(text)
  const [url] = new RegExp(URL_SOURCE, 'u').exec(plain) ?? []
  if (url === undefined || !FETCH.test(text)) return undefined
  return [{ kind: 'fetch', url: url.replace(/[).,]+$/, '') }]
}

const EDIT = [
  matcher(
    String.raw`^(?:replace|change|substitute|swap|edit|update)\s+(?<before>${QUOTE_SOURCE}|.+?)\s+(?:with|to|by|into|for)\s+(?<after>${QUOTE_SOURCE}|.+?)\s+in\s+(?:the\s+)?(?:file\s+)?(?<path>${FILE})`,
  ),
  matcher(
    String.raw`^(?:in|edit)\s+(?:the\s+)?(?:file\s+)?(?<path>${FILE}),?\s+(?:and\s+)?(?:replace|change)\s+(?<before>${WORD})\s+(?:with|to|by|into)\s+(?<after>.+)$`,
  ),
]

function readEdit({ text, value }: Clause): ReturnType<Reader> {
  for (const form of EDIT) {
    const { before, after, path } = form.exec(text)?.groups ?? {}
    if (path)
      return [{ kind: 'edit', path: value(path), before: value(before), after: value(after) }]
  }
  return undefined
}

const NEW_FILE = String.raw`(?:an?\s+|the\s+)?(?:new\s+|empty\s+)?(?:[\p{L}]+\s+)?(?:file\s+)?(?:named\s+|called\s+|at\s+)?`
const WRITE = [
  matcher(
    String.raw`^(?:write|save|put|store|add|append)\s+(?:the\s+(?:text|words?|line)\s+)?(?<content>${QUOTE_SOURCE}|.+?)\s+(?:to|into|in|as)\s+${NEW_FILE}(?<path>${FILE})`,
  ),
  matcher(
    String.raw`^(?:create|make|write|add|generate|save)\s+${NEW_FILE}(?<path>${FILE})(?:(?:.*?\b(?:with|containing|contains|says|saying)\b(?:\s+(?:the\s+)?(?:contents?|text|words?|line)\b)?:?|\s*:)\s*(?<content>${QUOTE_SOURCE}|.+))?`,
  ),
]

function readWrite({ text, value }: Clause): ReturnType<Reader> {
  for (const form of WRITE) {
    const { content, path } = form.exec(text)?.groups ?? {}
    if (path) return [{ kind: 'write', path: value(path), content: value(content) }]
  }
  return undefined
}

const RUN = matcher(
  String.raw`^(?:run|execute|rerun|re-run)\s+(?:(?:the\s+|this\s+|these\s+)?(?:following\s+)?(?:shell\s+|terminal\s+)?(?:command|script)s?\s*:?\s+|the\s+following:?\s+)?(?<what>.+)$`,
)
/** What people call the scripts that most projects have. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/^(?:(?:all|the|my|our|its|unit|whole|npm)\s+)*(?:tests?|test\s+suite)\b/i, 'npm test'],
  [/^(?:(?:the|my|our)\s+)*build\b/i, 'npm run build'],
  [/^(?:(?:the|my|our)\s+)*lint(?:er|ing)?\b/i, 'npm run lint'],
]
const NO_COMMAND =
  /^(?:the|an?|my|our|your|all|it|this|that|them|these|those|every\w*|some\w*|any\w*)\b/i

function readRun({ text, value }: Clause): ReturnType<Reader> {
  if (/^(?:test|build|lint)\s+(?:it|(?:the|this|my)\s+(?:project|code|app))$/i.test(text)) {
    return [{ kind: 'run', command: scriptFor(text) ?? 'npm test' }]
  }
  const { what = '' } = RUN.exec(text)?.groups ?? {}
  if (what === '') return undefined
  const [mark] = new RegExp(`^${QUOTE_SOURCE}`, 'u').exec(what) ?? []
  if (mark !== undefined) return [{ kind: 'run', command: value(mark) }]
  const script = scriptFor(what)
  if (script !== undefined) return [{ kind: 'run', command: script }]
  const command = value(
    what.replace(/\s+(?:in|using|with)\s+(?:the\s+|an?\s+)?(?:terminal|shell|bash)$/i, ''),
  )
  return NO_COMMAND.test(what) ? undefined : [{ kind: 'run', command }]
}

function scriptFor(what: string): string | undefined {
  return SCRIPTS.find(([expression]) => expression.test(what))?.[1]
}

const LOOK_UP = matcher(
  String.raw`^(?:search|google|look\s+up|find)\b(?:\s+(?:the\s+)?(?:web|internet|online))?(?:\s+for)?\s+(?<query>.+?)(?:\s+(?:on|in)\s+(?:the\s+)?(?:web|internet)|\s+online)?$`,
)

function readLookUp({ text, value }: Clause): ReturnType<Reader> {
  if (!/\b(?:web|internet|online|google)\b/i.test(text)) return undefined
  const { query } = LOOK_UP.exec(text)?.groups ?? {}
  return query ? [{ kind: 'look-up', query: value(query) }] : undefined
}

const GLOB = matcher(String.raw`[\p{L}\p{N}_./-]*\*[\p{L}\p{N}_./*{},-]*`)
const LOOKS_FOR_FILES = matcher(
  String.raw`^(?:find|list|show|which|locate|search(?:\s+for)?|give\s+me|what|where\s+(?:is|are))\b`,
)

function readFind({ text, value }: Clause): ReturnType<Reader> {
  if (!LOOKS_FOR_FILES.test(text)) return undefined
  const plain = value(text)
  const [glob] = GLOB.exec(plain) ?? []
  if (glob !== undefined) return [{ kind: 'find', pattern: glob, ...dirOf(text, value) }]
  const [, extension] =
    /(?:^|\s)\.?([a-z]{1,5})\s+files?\b/iu.exec(
      text.replace(/^\S+\s+/, '').replace(/^(?:all|me|the)\s+/gi, ''),
    ) ?? []
  if (extension !== undefined && /\.[a-z]{1,5}\s+files?/i.test(text)) {
    return [{ kind: 'find', pattern: `**/*.${extension}`, ...dirOf(text, value) }]
  }
  const name = matcher(
    String.raw`^(?:find|locate|where\s+is)\s+(?:the\s+)?(?:files?\s+)?(?:named\s+|called\s+)?(?<name>${PATH})$`,
  ).exec(text)?.groups?.['name']
  return name === undefined ? undefined : [{ kind: 'find', pattern: `**/${value(name)}` }]
}

const LIST = matcher(
  String.raw`^(?:list|show|what|which|see|display|enumerate|give\s+me|print|tell\s+me|ls|look)\b.*\b(?:files?|folders?|director(?:y|ies)|subfolders|contents|ls|here)\b|^ls$`,
)

function readList({ text, value }: Clause): ReturnType<Reader> {
  if (!LIST.test(text)) return undefined
  const dir = dirOf(text, value)
  const file = pathIn(text)
  // "Show the contents of a.txt" is about a file.
  if (file !== undefined && dir.dir === undefined && /\.\w+$/.test(file)) return undefined
  return [
    { kind: 'list', ...dir, ...(file !== undefined && dir.dir === undefined && { dir: file }) },
  ]
}

const DIR = [
  matcher(
    String.raw`\b(?:in|of|under|inside|within|from)\s+(?:the\s+)?(?:folder|directory)\s+(?<dir>${WORD})`,
  ),
  matcher(
    String.raw`\b(?:in|of|under|inside|within|from)\s+(?:the\s+)?(?<dir>${WORD})\s+(?:folder|directory)\b`,
  ),
  matcher(
    String.raw`\b(?:in|under|inside|within)\s+(?<dir>${QUOTE_SOURCE}|(?:${PATH})|[\p{L}\p{N}_-]+)$`,
  ),
]
const HERE =
  /^(?:this|the|current|my|our|same|here|it|project|repo(?:sitory)?|folder|directory|root|workspace|codebase|code|files?)$/i

function dirOf(text: string, value: Clause['value']): Pick<StepValues, 'dir'> {
  for (const form of DIR) {
    const dir = value(form.exec(text)?.groups?.['dir'])
    if (dir !== '' && !HERE.test(dir)) return { dir }
  }
  return {}
}

const SEARCH = [
  matcher(
    String.raw`^(?:search|look|scan)\s+(?:for\s+)?(?:the\s+(?:word|text|string)\s+)?(?<query>${QUOTE_SOURCE})`,
  ),
  matcher(
    String.raw`^(?:search|look|scan)\s+(?:(?:in|through)\s+)?(?:the\s+)?(?<dir>\S+)?\s*(?:files?|code|codebase|folder|directory|project)?\s*for\s+(?:the\s+(?:word|text|string)\s+)?(?<query>.+?)(?:\s+(?:in|under|inside|within)\s+.+)?$`,
  ),
  matcher(String.raw`^grep\s+(?:for\s+)?(?<query>${WORD})`),
  matcher(
    String.raw`^(?:find|locate)\s+(?:all\s+|the\s+|every\s+)*(?:occurrences?|uses?|usages?|references?|mentions?|places?)\s+(?:of|to|where)\s+(?<query>${WORD})`,
  ),
  matcher(
    String.raw`^(?:find|show(?:\s+me)?|tell\s+me)\s+where\s+(?<query>${WORD})\s+(?:is|are|gets?)\b`,
  ),
  matcher(String.raw`^where\s+(?:is|are)\s+(?<query>${WORD})\s+(?:defined|used|called|declared)\b`),
  matcher(
    String.raw`^find\s+(?:the\s+(?:word|text|string)\s+)?(?<query>${QUOTE_SOURCE}|[\p{L}\p{N}_$]+)\s+(?:in|under|inside|within)\s+`,
  ),
]

function readSearch({ text, value }: Clause): ReturnType<Reader> {
  for (const form of SEARCH) {
    const { query, dir } = form.exec(text)?.groups ?? {}
    if (!query) continue
    const place = dirOf(text, value)
    const given =
      dir !== undefined && !HERE.test(dir) && place.dir === undefined ? { dir: value(dir) } : {}
    return [{ kind: 'search', query: value(query), ...place, ...given }]
  }
  return undefined
}

const READ = matcher(
  String.raw`^(?:read|open|show|display|print|cat|view|check|look|inspect|summari[sz]e|explain|review|describe|analy[sz]e|tell\s+me|what|go\s+through|get|see|give\s+me)\b`,
)

/** In quotation marks a path may have spaces in it. */
const QUOTED_PATH = new RegExp(`^(?:${PATH}|[^\\n"'|;&<>]*\\.[A-Za-z][A-Za-z0-9]{0,9})$`, 'u')

function readRead({ text, value }: Clause): ReturnType<Reader> {
  if (!READ.test(text)) return undefined
  const quoted = Array.from(text.matchAll(new RegExp(QUOTE_SOURCE, 'gu')), ([mark]) => value(mark))
  const files = quoted.filter((one) => QUOTED_PATH.test(one))
  const bare = Array.from(text.matchAll(new RegExp(PATH, 'gu')), ([path]) => path)
  const named = /\bfiles?\s*$/i.test(text.replace(new RegExp(`${QUOTE_SOURCE}\\s*$`, 'u'), ''))
    ? quoted.slice(-1)
    : []
  const paths = [...new Set([...files, ...bare, ...named])].filter(
    (path) => !/^(?:e\.g|i\.e)$/i.test(path),
  )
  return paths.length === 0 ? undefined : paths.map((path) => ({ kind: 'read', path }))
}
