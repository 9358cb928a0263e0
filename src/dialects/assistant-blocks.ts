/** An assistant's message as a list of blocks: what the dialects that have such lists have in common. */
import type { CodecOptions } from '../core/dialect.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Message, ToolCall } from '../core/model.ts'
import { readNative } from '../core/native.ts'
import { readHistoryCall } from './history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from './kept-content.ts'

/**
 * `foreign` blocks are for the provider alone, such as the tools it runs itself; `blank` ones are
 * sent by servers that do not take them back.
 */
export type BlockKind = 'call' | 'signed' | 'unsigned' | 'blank' | 'foreign' | 'other'

/** How a dialect writes its blocks. */
export interface BlockForm {
  readonly dialect: string
  readonly kindOf: (block: JsonObject) => BlockKind
  /** The block as every reader knows it, where the dialect has a form of its own for words. */
  readonly said?: (block: JsonObject) => JsonObject
  readonly encodeContent: (content: Message['content']) => JsonObject[]
  readonly encodeCall: (call: ToolCall) => JsonObject
  readonly encodeReasoning: (text: string) => JsonObject
  readonly withId: (block: JsonObject, id: string) => JsonObject
}

export interface AssistantBlocks {
  decode(blocks: readonly JsonObject[]): Message
  /** The message with the blocks that it was read from, where it does not say all that they say. */
  keep(blocks: readonly JsonObject[], message: Message): Message
  /** The blocks of a reply, whose reader may see reasoning that is not signed. */
  encodeReply(message: Message): JsonObject[]
  /** The blocks of a request: reasoning goes back as it was signed or not at all. */
  encodeHistory(message: Message, options?: CodecOptions): JsonObject[]
  /** The message without signed reasoning. */
  forgetThoughts(message: Message): Message
}

export function createAssistantBlocks(form: BlockForm): AssistantBlocks {
  const { dialect, kindOf, encodeContent, encodeCall, encodeReasoning, withId } = form
  const { said = (block: JsonObject) => block } = form

  function decode(blocks: readonly JsonObject[]): Message {
    const content = blocks.filter((block) => kindOf(block) !== 'foreign').map(said)
    const reply = readNative({ role: 'assistant', content })
    const toolCalls = (reply?.calls ?? []).map(readHistoryCall)
    return keep(blocks, {
      role: 'assistant',
      content: (reply?.texts ?? []).join('\n'),
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(reply?.reasoning && { reasoning: reply.reasoning }),
    })
  }

  function keep(blocks: readonly JsonObject[], message: Message): Message {
    const told = (block: JsonObject) => (kindOf(block) === 'blank' ? [] : [block])
    return { ...message, ...keepContent(dialect, blocks, neutralBlocks(message), told) }
  }

  function neutralBlocks({ content, toolCalls = [], reasoning }: Message): JsonObject[] {
    return [
      ...(reasoning ? [encodeReasoning(reasoning)] : []),
      ...encodeContent(content),
      ...toolCalls.map(encodeCall),
    ]
  }

  /** Kept blocks as they are; when the words have changed since, only signed reasoning still holds. */
  function encodeReply(message: Message): JsonObject[] {
    const kept = keptBlocks(dialect, message)
    if (kept.length > 0 && saysTheSame(decode(kept), message)) return renamed(kept, message)
    const signed = kept.filter((block) => kindOf(block) === 'signed')
    if (signed.length === 0) return neutralBlocks(message)
    const { reasoning: _, ...rest } = message
    return [...signed, ...neutralBlocks(rest)]
  }

  /** Calls may have been given other ids since. */
  function renamed(blocks: readonly JsonObject[], { toolCalls = [] }: Message): JsonObject[] {
    let at = 0
    return blocks.map((block) => {
      const call = kindOf(block) === 'call' ? toolCalls[at++] : undefined
      return call ? withId(block, call.id) : block
    })
  }

  function encodeHistory(message: Message, { report }: CodecOptions = {}): JsonObject[] {
    const blocks = encodeReply(message)
    const kinds = new Set(blocks.map(kindOf))
    if (kinds.has('unsigned')) {
      const reason = `reasoning goes back to ${dialect} only with its signature`
      report?.({ code: 'lost-field', message: `${reason}; some of it has none` })
    }
    return blocks.filter((block) => !['unsigned', 'blank'].includes(kindOf(block)))
  }

  function forgetThoughts(message: Message): Message {
    const { reasoning: _, extra = {}, ...rest } = message
    const blocks = keptBlocks(dialect, message).filter((block) => kindOf(block) !== 'signed')
    const { [dialect]: __, ...others } = extra
    const forgotten = keep(blocks, rest)
    const kept = blocks.length > 0 ? forgotten.extra : undefined
    return { ...rest, extra: { ...others, ...kept } }
  }

  return { decode, keep, encodeReply, encodeHistory, forgetThoughts }
}
