/** Texts in quotation marks, taken out of a request so that nothing in them is read as a part of it. */

const QUOTED =
  /```[^\n]*\n([\s\S]*?)\n?```|"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|«([^»\n]{1,2000})»|`([^`\n]{1,2000})`|(?<![\p{L}\p{N}])'([^'\n]{1,2000})'(?![\p{L}\p{N}])/gu

/** Stands for a quoted text: a character that nobody types, the number of the text, and the character again. */
const MARK = '\u{E000}'
const MARKED = /\u{E000}(\d+)\u{E000}/gu

/** The source of an expression for one quoted text. */
export const QUOTE_SOURCE = '\u{E000}\\d+\u{E000}'

export interface Masked {
  /** The request with marks in place of quoted texts. */
  readonly text: string
  readonly quoted: readonly string[]
}

export function mask(request: string): Masked {
  const quoted: string[] = []
  const text = request.replaceAll(MARK, ' ').replace(QUOTED, (_, ...groups: unknown[]) => {
    const inside = groups.slice(0, 6).find((one) => typeof one === 'string')
    quoted.push(typeof inside === 'string' ? inside : '')
    return `${MARK}${quoted.length - 1}${MARK}`
  })
  return { text, quoted }
}

/** A part of a masked text as it was written, without the quotation marks. */
export function unmask(part: string, quoted: readonly string[]): string {
  return part.replace(MARKED, (_, index: string) => quoted[Number(index)] ?? '')
}

/** The quoted texts in a part, in their order. */
export function quotedIn(part: string, quoted: readonly string[]): readonly string[] {
  return Array.from(part.matchAll(MARKED), ([, index]) => quoted[Number(index)] ?? '')
}
