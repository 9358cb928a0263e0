/** What is special about models that write a format, besides the format itself. */
import type { Protocol } from '../../core/protocol.ts'
import type { ProtocolId } from '../../protocols/registry.ts'
import type { SampledCall } from './asked.ts'
import {
  commaBefore,
  type Damage,
  missingBracket,
  missingCloser,
  missingClosers,
  missingOpener,
  singleQuotes,
  strippedTokens,
  trailingComma,
  without,
} from './damage.ts'

export interface Habits {
  /** True: the call is the whole message, without a word before it. */
  readonly alone?: boolean
  /** What goes wrong. Default: single quotes where arguments are JSON, else the end is missing. */
  readonly damage?: Damage
  /** Calls are numbered: how a first one says it, and how a second one does. */
  readonly number?: readonly [first: string, second: string]
  /** True: a call that is not complete cannot be told from prose. */
  readonly cutIsText?: boolean
}

const HABITS: Readonly<Partial<Record<ProtocolId, Habits>>> = {
  'anthropic-xml': { damage: missingClosers },
  apriel: { damage: missingBracket },
  'cohere-action': { damage: strippedTokens },
  'command-r-plus': { damage: trailingComma },
  'deepseek-dsml': { damage: missingClosers },
  'deepseek-v3': { damage: missingOpener },
  'deepseek-v31': { damage: missingClosers },
  dots: { damage: missingClosers },
  ernie45: { damage: missingCloser },
  firefunction: { damage: missingBracket },
  'function-pattern': { alone: true, cutIsText: true },
  'functionary-v31': { damage: missingCloser },
  'functionary-v32': { damage: trailingComma },
  gigachat3: { damage: trailingComma },
  granite3: { damage: strippedTokens },
  granite4: { damage: trailingComma },
  harmony: { damage: strippedTokens },
  'hunyuan-a13b': { damage: trailingComma },
  'hy-v3': { damage: missingClosers },
  inkling: { damage: strippedTokens },
  internlm2: { damage: missingCloser },
  jamba: { damage: missingBracket },
  'json-array': { alone: true },
  'json-shim': { damage: trailingComma },
  'k-exaone': { damage: missingOpener },
  'kimi-k2': { damage: missingClosers, number: [':0<|', ':1<|'] },
  'kimi-k3': {
    damage: without('<|close|>tools<|sep|>', 'no closing marker'),
    number: ['index="1"', 'index="2"'],
  },
  'llama-builtin': { damage: commaBefore(')') },
  'llama3-json': { alone: true },
  'llama4-pythonic': { damage: strippedTokens },
  longcat: { damage: missingCloser },
  'mcp-xml': { damage: missingClosers },
  'minimax-m1': { damage: missingCloser },
  'minimax-m2': { damage: missingClosers },
  'mistral-array': { damage: strippedTokens },
  'mistral-v11': { damage: trailingComma },
  'phi4-mini': { damage: missingBracket },
  'python-tag': { damage: strippedTokens },
  pythonic: { alone: true, damage: without(']', 'a bracket too few') },
  'qwen25-tools': { damage: missingCloser },
  'qwen3-coder': { damage: missingOpener },
  'raw-json': { alone: true },
  'seed-oss': { damage: missingClosers },
  solar: { damage: missingClosers, number: ['<|tool_call:begin|>0', '<|tool_call:begin|>1'] },
  'template-json': { alone: true, damage: trailingComma },
  'text-tagged': { damage: missingCloser },
  xlam: { alone: true, damage: missingBracket },
  'xml-attributes': { damage: commaBefore('}') },
  // Without any of it, nobody could say whether the last line is whole.
  'yaml-xml': { damage: without('>', 'half a closing tag') },
}

// The cast: users may write protocols of their own, which have no habits that we know.
export function habitsOf({ id }: Protocol): Habits {
  return HABITS[id as ProtocolId] ?? {}
}

/** A damage that changes the text. A call without arguments has too little in it to be mended. */
export function damageFor(protocol: Protocol, text: string, call: SampledCall): Damage | undefined {
  if (Object.keys(call.arguments).length === 0) return undefined
  const { damage } = habitsOf(protocol)
  const candidates = [...(damage ? [damage] : []), singleQuotes, missingCloser]
  return candidates.find((one) => one.apply(text, call) !== text)
}
