/** How demo models write their calls into the text. */
import type { FinishReason } from '../../core/model.ts'
import type { Protocol } from '../../core/protocol.ts'
import type { SampledCall } from './asked.ts'
import { damageFor, habitsOf } from './habits.ts'

export interface Written {
  readonly text: string
  readonly finishReason?: FinishReason
}

/** One way for a call to come out. */
export interface Variant {
  /** Follows "calls in the format …,". */
  about(protocol: Protocol): string
  /** False for formats that cannot come out this way. Default: all can. */
  suits?(protocol: Protocol): boolean
  /** `other`: a second call, or one that is only thought of. `parallel`: whether there may be two. */
  write(protocol: Protocol, call: SampledCall, other: SampledCall, parallel: boolean): Written
}

export const plain: Variant = {
  about: () => 'in good order',
  write: (protocol, call) => ({ text: introduce(protocol, call) + protocol.formatCall(call) }),
}

/** By what follows the name of the format and a colon. */
export const VARIANTS: Readonly<Record<string, Variant>> = {
  broken: { about: describeDamage, write: writeBroken },
  truncated: {
    about: () => 'cut off in the middle: no call comes of it',
    suits: (protocol) => habitsOf(protocol).cutIsText !== true,
    write: (protocol, call) => ({
      text: introduce(protocol, call) + writeHalf(protocol, call),
      finishReason: 'length',
    }),
  },
  thinking: {
    about: () => 'behind reasoning that drafts another call, which is not made',
    write: (protocol, call, other) => ({
      text: `${think(protocol, other)}${introduce(protocol, call)}${protocol.formatCall(call)}`,
    }),
  },
  parallel: {
    about: () => 'two at a time',
    write: (protocol, call, other, parallel) =>
      parallel ? writeBoth(protocol, call, other) : plain.write(protocol, call, other, parallel),
  },
}

function introduce(protocol: Protocol, { name }: SampledCall): string {
  return habitsOf(protocol).alone ? '' : `I will use ${name} for this.\n\n`
}

function think(protocol: Protocol, draft: SampledCall): string {
  const written = protocol.formatCall(draft)
  return `<think>\nI could write\n${written}\nbut that is not what was asked for.\n</think>\n\n`
}

/** What is damaged does not depend on the arguments, as long as there are any. */
const ANY_CALL: SampledCall = { name: 'tool', arguments: { text: 'text' } }

function describeDamage(protocol: Protocol): string {
  const damage = damageFor(protocol, protocol.formatCall(ANY_CALL), ANY_CALL)
  return `damaged so that they can be mended: with ${damage?.about ?? 'nothing wrong'}`
}

function writeBroken(protocol: Protocol, call: SampledCall): Written {
  const text = protocol.formatCall(call)
  const damage = damageFor(protocol, text, call)
  if (!damage) return { text: introduce(protocol, call) + text }
  return { text: (damage.alone ? '' : introduce(protocol, call)) + damage.apply(text, call) }
}

function writeBoth(protocol: Protocol, call: SampledCall, other: SampledCall): Written {
  const [first, second] = habitsOf(protocol).number ?? ['', '']
  const next = protocol.formatCall(other).replace(first, second)
  return { text: `${introduce(protocol, call)}${protocol.formatCall(call)}\n${next}` }
}

/** A character that no format treats in a special way: where it would stand, the text ends. */
const END = '\u{E000}'

/** The call up to the middle of its longest text, or to its first value; without arguments, to its name. */
function writeHalf(protocol: Protocol, { name, arguments: args }: SampledCall): string {
  const texts = Object.entries(args)
    .map(([key, value]) => [key, typeof value === 'string' ? value : ''] as const)
    .sort(([, one], [, other]) => other.length - one.length)
  const [key, text] = texts[0] ?? []
  const written =
    key === undefined || text === undefined
      ? protocol.formatCall({ name: name + END, arguments: {} })
      : protocol.formatCall({ name, arguments: { ...args, [key]: firstHalf(text) + END } })
  return written.slice(0, written.lastIndexOf(END))
}

function firstHalf(text: string): string {
  const characters = Array.from(text)
  return characters.slice(0, Math.ceil(characters.length / 2)).join('')
}
