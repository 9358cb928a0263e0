/** Text in lines of its own: `|` keeps its lines, `>` folds them. */

/** `|`, `>` and what may follow them: indentation, and what becomes of line breaks at the end. */
const BLOCK_HEADER = /^([|>])(?:([1-9])?([+-])?|([+-])([1-9]))[ \t]*(?:\s#.*)?\r?$/

export interface BlockHeader {
  readonly folded: boolean
  readonly chomp: string
  /** Given indentation, relative to the line of the key. */
  readonly indent: number | undefined
}

export function readHeader(line: string): BlockHeader | undefined {
  const found = BLOCK_HEADER.exec(line)
  if (!found) return undefined
  const [, style, one, sign = '', otherSign = '', other] = found
  const digit = one ?? other
  return {
    folded: style === '>',
    chomp: sign || otherSign,
    indent: digit === undefined ? undefined : Number(digit),
  }
}

/** The text that lines without their indentation stand for. */
export function joinBlock(lines: readonly string[], { folded, chomp }: BlockHeader): string {
  let length = lines.length
  while (length > 0 && lines[length - 1] === '') length--
  const content = lines.slice(0, length)
  const text = folded ? foldBlock(content) : content.join('\n')
  if (chomp === '+') return text + '\n'.repeat(lines.length - length + (length > 0 ? 1 : 0))
  return chomp === '-' || length === 0 ? text : `${text}\n`
}

/** Lines that are indented further keep their line breaks. */
function foldBlock(lines: readonly string[]): string {
  let folded = ''
  let breaks = 0
  let wasIndented = true
  for (const line of lines) {
    if (line !== '') {
      const isIndented = /^[ \t]/.test(line)
      const keeps = isIndented || wasIndented || breaks !== 1
      const extra = isIndented || wasIndented ? 0 : 1
      folded += (keeps ? '\n'.repeat(Math.max(0, breaks - extra)) : ' ') + line
      wasIndented = isIndented
      breaks = 0
    }
    breaks++
  }
  return folded
}
