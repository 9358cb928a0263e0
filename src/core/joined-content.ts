/** Contents of several messages as that of one. */
import type { Message, Part } from './model.ts'

type Content = Message['content']

/** Texts become one text, up to the first that comes in parts; from there on each is a part. */
export function joinedContent(contents: readonly Content[]): Content {
  const firstList = contents.findIndex((content) => typeof content !== 'string')
  const texts = contents.slice(0, firstList === -1 ? contents.length : firstList)
  const text = texts.join('\n\n')
  if (firstList === -1) return text
  return [text, ...contents.slice(firstList)].flatMap(partsOf)
}

/** A content as parts; no text is no part. */
export function partsOf(content: Content): readonly Part[] {
  if (typeof content !== 'string') return content
  return content === '' ? [] : [{ type: 'text', text: content }]
}
