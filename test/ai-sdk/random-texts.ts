/** Replies put together from pieces that mean something, in any order. */
// Reasoning only at the start: elsewhere its end may be one without a beginning, which only a whole
// text can tell.
const STARTS = ['', '', '<think>Hmm.</think>', '<think>'] as const

const PIECES = [
  'Let me look. ',
  '\n',
  ' \n\n ',
  '<tool_call>',
  '</tool_call>',
  '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>',
  '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>',
  '<tool_call>{"name": "get_weather", "arguments": ["Turku"]}</tool_call>',
  '{"name": "get_weather", "arguments": {"city": "Turku"}}',
  '[TOOL_CALLS]',
  '```json\n',
  '```',
  'get_time()',
  '"',
  '{',
] as const

export function randomTexts(count: number): string[] {
  const random = seeded(7)
  return Array.from({ length: count }, () => {
    const length = 1 + Math.floor(random() * 6)
    const pieces = Array.from({ length }, () => PIECES[Math.floor(random() * PIECES.length)])
    const start = STARTS[Math.floor(random() * STARTS.length)]
    return [start, ...pieces].join('')
  })
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
