/** Broken JSON of every kind that models write, with the values a careful reader would accept. */
import { isDeepStrictEqual } from 'node:util'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export interface BrokenJson {
  readonly kind: string
  readonly text: string
  /** Any of these is right. */
  readonly accepted: readonly unknown[]
}

interface Style {
  readonly quote: readonly [open: string, close: string]
  readonly key: (key: string) => string
  readonly literal: Readonly<Record<'true' | 'false' | 'null', string>>
  readonly comma: string
  readonly colon: (key: string) => string
  /** Written behind the last field of each object. */
  readonly tail: string
  readonly number: (value: number) => string
  readonly string: (text: string) => string
  readonly closeArray: string
}

const escapeText = (text: string): string => JSON.stringify(text).slice(1, -1)

const PLAIN: Style = {
  quote: ['"', '"'],
  key: (key) => `"${key}"`,
  literal: { true: 'true', false: 'false', null: 'null' },
  comma: ', ',
  colon: () => ': ',
  tail: '',
  number: String,
  string: escapeText,
  closeArray: ']',
}

function write(value: Json, style: Style): string {
  if (value === null || typeof value === 'boolean') return style.literal[`${value}`]
  if (typeof value === 'number') return style.number(value)
  if (typeof value === 'string') return style.quote[0] + style.string(value) + style.quote[1]
  if (isArray(value))
    return `[${value.map((item) => write(item, style)).join(', ')}${style.closeArray}`
  const fields = Object.entries(value).map(
    ([key, item]) => style.key(key) + style.colon(key) + write(item, style),
  )
  return `{${fields.join(style.comma)}${style.tail}}`
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value)

/** An object of about `size` characters of JSON: records as tool arguments have them. */
export function validDocument(size: number): { readonly text: string; readonly value: Json } {
  const value = records(size, (index) => ({
    id: index,
    path: `src/section-${index}/file.ts`,
    note: `Entry ${index}: it’s “fine”, says Łukasz — ${'very '.repeat(index % 4)}long text\nin two lines`,
    ratio: index / 8,
    tags: ['alpha', 'beta', `t${index % 7}`],
    done: index % 2 === 0,
    owner: null,
  }))
  return { text: JSON.stringify(value), value }
}

function records(size: number, create: (index: number) => { readonly [key: string]: Json }): Json {
  const items: Json[] = []
  for (let length = 0; length < size; ) {
    const item = create(items.length)
    items.push(item)
    length += JSON.stringify(item).length + 1
  }
  return { command: 'update', dryRun: false, limit: null, items }
}

/** Words without quotes or braces, so that only the kind in question is broken. */
const simple = (index: number): { readonly [key: string]: Json } => ({
  id: index,
  path: `src/section-${index}/file.ts`,
  note: `Entry ${index} is fine and ${'very '.repeat(index % 4)}long`,
  ratio: index / 8,
  tags: ['alpha', 'beta', `t${index % 7}`],
  done: index % 2 === 0,
  owner: null,
})

/** The 22 kinds at about `size` characters each. */
export function brokenDocuments(size: number): BrokenJson[] {
  const plain = records(size, simple)
  const text = JSON.stringify(plain)
  const styled = (
    kind: string,
    style: Partial<Style>,
    value: Json = plain,
    ...more: unknown[]
  ) => ({
    kind,
    text: write(value, { ...PLAIN, ...style }),
    accepted: [value, ...more],
  })
  const within = (item: (index: number) => { readonly [key: string]: Json }): Json =>
    records(size, item)
  const numbers = within((index) => ({
    id: index,
    plus: 1,
    half: 0.5,
    thousand: 1000,
    missing: 'NaN',
  }))

  return [
    { kind: 'valid JSON', text, accepted: [plain] },
    styled('trailing comma', { tail: ',' }),
    styled('single quotes', {
      quote: ["'", "'"],
      key: (key) => `'${key}'`,
    }),
    styled('unquoted keys', { key: (key) => key }),
    styled('Python literals', { literal: { true: 'True', false: 'False', null: 'None' } }),
    styled('comments', { comma: ', // next\n', tail: ' /* end */ ' }),
    { kind: 'truncated: missing closers', text: text.slice(0, -2), accepted: [plain] },
    truncatedString(plain, text),
    styled(
      'raw newline/tab in string',
      { string: (value) => value },
      within((index) => ({ ...simple(index), note: `line one ${index}\n\tline two` })),
    ),
    styled(
      'invalid escapes',
      { string: (value) => value },
      within((index) => ({
        ...simple(index),
        path: `C:\\dir\\part${index}\\w`,
        pattern: '\\d+\\s',
      })),
    ),
    styled(
      'unescaped inner quotes',
      { string: (value) => value },
      within((index) => ({ ...simple(index), note: `He said "stop ${index}" and left` })),
    ),
    styled('missing comma between fields', { comma: '\n' }),
    styled('missing colon', { colon: (key) => (key === 'path' ? ' ' : ': ') }),
    { kind: 'markdown fence', text: `\`\`\`json\n${text}\n\`\`\``, accepted: [plain] },
    {
      kind: 'prose around',
      text: `Here are the arguments:\n${text}\nLet me know.`,
      accepted: [plain],
    },
    { kind: 'extra closing brace', text: `${text}}`, accepted: [plain] },
    mismatchedBracket(plain, text),
    styled('smart quotes', { quote: ['“', '”'], key: (key) => `“${key}”` }),
    { kind: 'double-encoded string', text: JSON.stringify(text), accepted: [plain] },
    {
      kind: 'numbers +1 .5 1_000 NaN',
      text: JSON.stringify(numbers)
        .replaceAll('"plus":1', '"plus":+1')
        .replaceAll('"half":0.5', '"half":.5')
        .replaceAll('"thousand":1000', '"thousand":1_000')
        .replaceAll('"missing":"NaN"', '"missing":NaN'),
      // JSON has no NaN: its spelling or null are both honest.
      accepted: [numbers, withNull(numbers)],
    },
    {
      kind: 'two objects in a row',
      text: `${text}\n{"command": "stop"}`,
      accepted: [plain, [plain, { command: 'stop' }]],
    },
    {
      kind: 'trailing prose with braces',
      text: `${text}\nThat sets {limit} and {owner: null}.`,
      accepted: [plain],
    },
  ]
}

function truncatedString(value: Json, text: string): BrokenJson {
  const cut = text.lastIndexOf('is fine') + 4
  const kept = JSON.parse(`${text.slice(0, cut)}"}]}`)
  return { kind: 'truncated mid-string', text: text.slice(0, cut), accepted: [kept, value] }
}

function mismatchedBracket(value: Json, text: string): BrokenJson {
  // The list of tags of the first record is closed by a brace.
  const at = text.indexOf(']')
  return {
    kind: 'mismatched bracket',
    text: `${text.slice(0, at)}}${text.slice(at + 1)}`,
    accepted: [value],
  }
}

function withNull(value: Json): Json {
  return JSON.parse(JSON.stringify(value).replaceAll('"NaN"', 'null'))
}

/** `reported`: there is no value, or one that comes with a warning. */
export type Outcome = 'right' | 'reported' | 'SILENTLY WRONG'

export interface Answer {
  readonly value: unknown
  /** The answer admits that it may not be what was meant. */
  readonly doubtful: boolean
}

export function judge(document: BrokenJson, read: (text: string) => Answer | undefined): Outcome {
  const answer = read(document.text)
  if (answer === undefined || answer.value === undefined) return 'reported'
  if (document.accepted.some((value) => isDeepStrictEqual(withoutPrototypes(answer.value), value)))
    return 'right'
  return answer.doubtful ? 'reported' : 'SILENTLY WRONG'
}

/** A reader may leave prototypes out. */
function withoutPrototypes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** A number that depends on the value, so that reading it is not optimised away. */
export function weigh(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1
}
