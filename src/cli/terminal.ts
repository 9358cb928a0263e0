/** Where a command writes to, and what can be shown there. */

export interface Terminal {
  /** Writes one or more lines to standard output. */
  print(text: string): void
  readonly style: Style
  /** Columns for tables and wrapped text. */
  readonly width: number
}

type Paint = (text: string) => string

export interface Style {
  /** False when the paints below leave the text as it is. */
  readonly colored: boolean
  readonly bold: Paint
  readonly dim: Paint
  readonly call: Paint
  readonly reasoning: Paint
  readonly issue: Paint
  readonly badge: Paint
}

interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const DEFAULT_WIDTH = 100
const MAX_WIDTH = 120

export function createTerminal(
  stream: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
  noColor: boolean,
): Terminal {
  return {
    print: (text) => void stream.write(`${text}\n`),
    style: createStyle(!noColor && wantsColor(stream, environment)),
    // A terminal that does not know its width says zero.
    width: Math.min(stream.columns || DEFAULT_WIDTH, MAX_WIDTH),
  }
}

/** https://no-color.org and https://force-color.org; being forced is the stronger wish. */
function wantsColor(
  stream: OutputStream,
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no, TERM: term } = environment
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false'
  if (no !== undefined && no !== '') return false
  return stream.isTTY === true && term !== 'dumb'
}

function createStyle(colored: boolean): Style {
  const paint = (code: string): Paint => (colored ? (text) => paintLines(text, code) : asIs)
  return {
    colored,
    bold: paint('1'),
    dim: paint('2'),
    call: paint('32'),
    reasoning: paint('2;3'),
    issue: paint('31'),
    badge: paint('7'),
  }
}

const asIs: Paint = (text) => text

// Line by line, so that a pager which cuts lines out does not lose the colour or carry it along.
function paintLines(text: string, code: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `\u001b[${code}m${line}\u001b[0m`))
    .join('\n')
}

/**
 * Text of a model as it may be shown: a control character could move the cursor, rename the window
 * or hide what stands before it, so all but tab and line feed are replaced by pictures.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(CONTROL, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
  })
}

// Controls, and the marks that change the direction of writing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Rows as columns of equal width; the last one is wrapped into what is left of the line. */
export function table(rows: readonly (readonly string[])[], width: number): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.slice(0, -1).entries()) {
      widths[at] = Math.max(widths[at] ?? 0, cell.length)
    }
  }
  const indent = widths.reduce((sum, each) => sum + each + 2, 0)
  return rows
    .map((row) => {
      const head = row.slice(0, -1).map((cell, at) => cell.padEnd((widths[at] ?? 0) + 2))
      return `${head.join('')}${wrap(row.at(-1) ?? '', width - indent, indent)}`.trimEnd()
    })
    .join('\n')
}

/** Breaks a text at spaces; lines behind the first are indented. */
export function wrap(text: string, width: number, indent: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (longer.length <= Math.max(width, 20) || line === '') {
      line = longer
    } else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}

/** The text with a margin before every line. */
export function indent(text: string, margin: string): string {
  return text
    .split('\n')
    .map((line) => `${margin}${line}`.trimEnd())
    .join('\n')
}
