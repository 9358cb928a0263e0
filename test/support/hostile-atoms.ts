/** What markers and values are made of, and what may be waited for: repeated, it is expensive for careless readers. */
export const HOSTILE_ATOMS: readonly string[] = [
  ...[' ', '\t', '\u00a0', '\u3000', '\n', '\r\n', '\n\n'],
  ...['"', "'", '`', '```', '~~~', '> ', '- ', '#', '*'],
  ...['<', '</', '<|', '>', '/>', '<a>', '</a>', '<a b="', '<!--', '&amp;'],
  ...['{', '}', '[', ']', '(', ')', '{"', '{"name": "', '"a": 1, ', '\\', '\\n', '\\u00e9', '\\"'],
  ...[
    '1',
    'x',
    'é',
    ',',
    ', ',
    ':',
    '=',
    'x=1, ',
    'key=',
    'f(',
    'f()\n',
    'get_weather',
    'get_weather(',
  ],
  ...['<think>', '</think>', '<think></think>', '<tool_call>', '</tool_call>', '</s>', '<eos>'],
  ...['<|', '<｜', '✿', 'Action:', '[TOOL_CALLS]'],
]

/** A text of `length` characters. */
export function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
}
