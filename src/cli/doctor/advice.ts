/** From what was found to what to configure. */
import type { ProviderError } from '../../client/errors.ts'
import { examinedAs } from './examined.ts'
import { type Examination, type Outcome, worksIn } from './probe.ts'

export interface Target {
  readonly baseUrl: string
  readonly model: string
  readonly dialect: string
  /** The variable that holds the key. */
  readonly keyVariable?: string | undefined
}

/** How tools work: by the server, by calls read from its text, by words in the prompt, or not at all. */
export type Verdict = 'native' | 'rescue' | 'text' | 'none'

export interface Advice {
  readonly verdict: Verdict
  readonly sentences: readonly string[]
  /** What to give to `createClient`; the key is named, never told. */
  readonly settings?: Settings
  /** Whether clients other than ours are helped by `rescueFetch`. */
  readonly rescueFetch: boolean
}

export interface Settings {
  readonly provider: string
  readonly baseUrl: string
  readonly model: string
  readonly toolMode?: 'text'
  readonly protocol?: string
}

export function advise(found: Examination, target: Target): Advice {
  if (found.failure) return nothing(adviseOnFailure(found.failure, target))
  const { native, streamed, text } = found
  if (native?.kind === 'calls' && streamed?.kind === 'calls') return adviseNative(found, target)
  if (worksIn(native) || worksIn(streamed)) return advisePartly(native, streamed, target)
  if (text && worksIn(text)) return adviseText(native, text, target)
  return nothing([
    'The model made no call, neither with native tools nor with tools in its prompt.',
    'Try a larger model, or one that was trained to call tools; look at its chat template, and at how long a context the server gives it.',
  ])
}

function nothing(sentences: readonly string[]): Advice {
  return { verdict: 'none', sentences, rescueFetch: false }
}

function adviseNative({ steps }: Examination, target: Target): Advice {
  const wrong = steps.filter(({ id, status }) => status === 'warning' && MENDED.has(id))
  const settings = settingsFor(target)
  if (wrong.length === 0) {
    return { verdict: 'native', sentences: ['Native tools work.'], settings, rescueFetch: false }
  }
  const sentences = ['Native tools work, with mistakes that createClient puts right.']
  return { verdict: 'native', sentences, settings, rescueFetch: canRescue(target) }
}

const MENDED: ReadonlySet<string> = new Set(['ids', 'indexes', 'finish'])

/** One of the two ways works as it should, or both work once the text is read. */
function advisePartly(
  native: Outcome | undefined,
  streamed: Outcome | undefined,
  target: Target,
): Advice {
  const leak = [native, streamed].find((outcome) => outcome?.kind === 'leak')
  const sentences: string[] = []
  if (leak?.kind === 'leak') {
    sentences.push(
      `The server leaves calls in the text, written as ${leak.protocol}. createClient reads them.`,
      `If that is not enough: toolMode: 'text' with protocol: '${leak.protocol}'. Or correct the server: its parser for tool calls does not fit the model.`,
    )
  }
  if (!worksIn(streamed))
    sentences.push('Streams bring no calls: ask for whole replies (complete).')
  if (!worksIn(native)) sentences.push('Whole replies bring no calls: ask for streams (stream).')
  return {
    verdict: leak ? 'rescue' : 'native',
    sentences,
    settings: settingsFor(target),
    rescueFetch: leak !== undefined && canRescue(target),
  }
}

function adviseText(native: Outcome | undefined, text: Outcome, target: Target): Advice {
  const why = whyNotNative(native)
  const written = text.kind === 'leak' ? text.protocol : USUAL
  return {
    verdict: 'text',
    sentences: [`${why}, but it calls them when they are described in its prompt.`],
    settings: {
      ...settingsFor(target),
      toolMode: 'text',
      ...(written !== USUAL && { protocol: written }),
    },
    rescueFetch: false,
  }
}

function whyNotNative(native: Outcome | undefined): string {
  if (native?.kind !== 'refused') return 'The model makes no native calls'
  const isNo = native.error.code === 'unsupported' || native.error.code === 'bad_request'
  return isNo ? 'The server takes no tools for this model' : 'A request with native tools fails'
}

/** What text mode asks for when no format is named. */
const USUAL = 'text-tagged'

function adviseOnFailure({ code, status }: ProviderError, target: Target): string[] {
  if (code === 'unauthorized') {
    return target.keyVariable === undefined
      ? ['The server wants a key: name the variable that holds it with --api-key-env.']
      : [`The server does not accept the key in ${target.keyVariable}.`]
  }
  if (code === 'not_found') {
    const address = usualAddress(target)
    const hint = address === undefined ? [] : [`Perhaps the address is ${address}.`]
    return ['The server knows no such model, or the address is not that of its API.', ...hint]
  }
  if (code === 'transport' && status === undefined) {
    return ['Nothing can be reached there: is the server running, and are host and port right?']
  }
  if (code === 'timeout') {
    return [
      'The server did not answer in time: it may still load the model. Try a longer --timeout.',
    ]
  }
  if (code === 'rate_limited' || code === 'overloaded')
    return ['The server is busy: try again later.']
  return ['The server cannot answer even without tools: see what it said, and its log.']
}

/** The address with what it mostly ends with; undefined when it says which version it is. */
function usualAddress({ dialect, baseUrl }: Target): string | undefined {
  const { basePath } = examinedAs(dialect)
  if (basePath === undefined || /\/v\d/.test(baseUrl)) return undefined
  return baseUrl.replace(/\/+$/, '') + basePath
}

function canRescue({ dialect }: Target): boolean {
  return examinedAs(dialect).rescues
}

function settingsFor({ dialect, baseUrl, model }: Target): Settings {
  return { provider: examinedAs(dialect).provider.id, baseUrl, model }
}

/** The settings as one would write them. */
export function codeFor(settings: Settings, keyVariable: string | undefined): string {
  const lines = Object.entries(settings).map(([name, value]) => `  ${name}: ${literal(value)},`)
  if (keyVariable !== undefined) lines.push(`  apiKey: process.env.${keyVariable},`)
  return ['createClient({', ...lines, '})'].join('\n')
}

function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
