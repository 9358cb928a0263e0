/**
 * Content that must go back as it came. Signatures, the order of blocks and what the neutral model has
 * no word for stay in `extra`, as the provider's own blocks; they are written again as long as they
 * still say what the message says.
 */
import type { Extra } from '../core/chat.ts'
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import type { Message, ToolResult } from '../core/model.ts'
import { equalJson } from '../core/schema/equal.ts'
import { objectsIn } from './history-call.ts'
import { lostFields } from './lost-fields.ts'

/**
 * The blocks as `extra`, unless the neutral message says all there is to say: `rebuilt` is what it would
 * be written as, and `plain` is what of a block is compared, in one spelling.
 */
export function keepContent(
  dialect: string,
  blocks: readonly JsonObject[],
  rebuilt: readonly JsonObject[],
  plain: (block: JsonObject) => readonly JsonObject[] = (block) => [block],
): { readonly extra?: Extra } {
  if (equalJson(blocks.flatMap(plain), rebuilt.flatMap(plain))) return {}
  return keptAs(dialect, blocks, rebuilt)
}

/** The blocks as `extra`, whatever they say; `rebuilt` is what the neutral message says of them. */
export function keptAs(
  dialect: string,
  blocks: readonly JsonObject[],
  rebuilt: readonly JsonObject[],
): { readonly extra: Extra } {
  const content = [...blocks]
  REBUILT.set(content, rebuilt)
  return { extra: { [dialect]: { content } } }
}

/** For content that goes to another dialect, where only what was rebuilt can go. */
const REBUILT = new WeakMap<readonly JsonValue[], readonly JsonObject[]>()

/** The fields of kept content that are lost in another dialect; the content itself where that is not known. */
export function lostContent(content: JsonValue): readonly string[] {
  const rebuilt = Array.isArray(content) ? REBUILT.get(content) : undefined
  return Array.isArray(content) && rebuilt ? lostFields(content, rebuilt) : ['content']
}

/** The blocks that a message keeps for this dialect, whether or not they still fit. */
export function keptBlocks(dialect: string, { extra }: Message): JsonObject[] {
  return objectsIn(extra?.[dialect]?.['content'])
}

/**
 * True when both messages say the same. Ids do not count: a history may have been given others. Nor
 * does white space in an assistant's words, because blocks of text are joined in more than one way.
 */
export function saysTheSame(one: Message, other: Message): boolean {
  return JSON.stringify(gist(one)) === JSON.stringify(gist(other))
}

function gist({ role, content, toolCalls = [], toolResults = [] }: Message): unknown {
  return [
    role,
    role === 'assistant' ? words(content) : partsOf(content),
    toolCalls.map(({ name, arguments: args }) => [name, args]),
    toolResults.map(resultGist),
  ]
}

function words(content: Message['content']): string {
  const texts = partsOf(content).map((part) => (part.type === 'text' ? part.text : ''))
  return texts.join('').replace(/\s+/g, '')
}

function partsOf(content: Message['content']): Exclude<Message['content'], string> {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}

function resultGist({ content, isError = false, errorCode }: ToolResult): unknown {
  return [partsOf(content), isError, errorCode]
}
