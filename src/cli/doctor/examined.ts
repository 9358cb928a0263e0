/** What the examination has to know of a dialect: one row for each. */
import {
  anthropic,
  bedrock,
  cohere,
  google,
  googleInteractions,
  mistral,
  ollama,
  openaiCompatible,
  responsesCompatible,
} from '../../providers/index.ts'
import type { Provider } from '../../providers/provider.ts'

/** How a dialect tells of calls on the wire. */
export interface CallTraits {
  /** False: calls have no ids, or need none. */
  readonly ids: boolean
  /** True: the calls of a stream are numbered. */
  readonly indexes: boolean
  /** The field that says why a reply ended, and its word for calls, where there is one. */
  readonly finish?: readonly [field: string, word: string]
}

export interface Examined {
  readonly dialect: string
  /** Whose client is used, and recommended. */
  readonly provider: Provider
  readonly calls: CallTraits
  /** What addresses of such servers mostly end with. */
  readonly basePath?: string
  /** Whether `rescueFetch` mends its replies. */
  readonly rescues: boolean
}

const NUMBERED: CallTraits = { ids: true, indexes: true, finish: ['finish_reason', 'tool_calls'] }
const NAMELESS: CallTraits = { ids: false, indexes: false }

/** The first one is meant when none is named. */
const EXAMINED: readonly Omit<Examined, 'dialect'>[] = [
  { provider: openaiCompatible, calls: NUMBERED, basePath: '/v1', rescues: true },
  {
    provider: responsesCompatible,
    calls: { ids: true, indexes: false },
    basePath: '/v1',
    rescues: true,
  },
  { provider: ollama, calls: NAMELESS, rescues: true },
  {
    provider: anthropic,
    calls: { ids: true, indexes: false, finish: ['stop_reason', 'tool_use'] },
    rescues: true,
  },
  { provider: google, calls: NAMELESS, rescues: true },
  {
    provider: googleInteractions,
    calls: { ids: true, indexes: false, finish: ['status', 'requires_action'] },
    rescues: false,
  },
  {
    provider: bedrock,
    calls: { ids: true, indexes: false, finish: ['stopReason', 'tool_use'] },
    rescues: false,
  },
  { provider: mistral, calls: NUMBERED, rescues: true },
  {
    provider: cohere,
    calls: { ids: true, indexes: false, finish: ['finish_reason', 'TOOL_CALL'] },
    rescues: false,
  },
]

const ROWS: ReadonlyMap<string, Examined> = new Map(
  EXAMINED.map((row) => {
    const { dialect } = row.provider
    const id = typeof dialect === 'string' ? dialect : dialect.id
    return [id, { ...row, dialect: id }] as const
  }),
)

/** The dialects whose servers can be examined. */
export const DIALECTS: readonly string[] = [...ROWS.keys()]

/** The row of one of the {@link DIALECTS}. */
export function examinedAs(dialect: string): Examined {
  const row = ROWS.get(dialect)
  if (!row) throw new RangeError(`no row for ${dialect}`)
  return row
}
