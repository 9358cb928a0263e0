import { expect, test } from 'vitest'
import type { ToolResult } from './model.ts'
import { formatResultText } from './result-text.ts'

interface ResultCase {
  readonly name: string
  readonly result: Omit<ToolResult, 'callId'>
  readonly text: string
}

const image = { type: 'image', mediaType: 'image/png', data: 'AAAA' } as const

const cases: readonly ResultCase[] = [
  { name: 'an answer is its content', result: { content: ' 12 °C\n' }, text: ' 12 °C\n' },
  {
    name: 'an error with a code has it in its header',
    result: { content: 'could not open file', isError: true, errorCode: 'ENOENT' },
    text: '[ERROR:ENOENT] could not open file',
  },
  {
    name: 'an error without a code has a header too',
    result: { content: 'something went wrong', isError: true },
    text: '[ERROR] something went wrong',
  },
  {
    name: 'an empty code is no code',
    result: { content: 'x', isError: true, errorCode: '' },
    text: '[ERROR] x',
  },
  {
    name: 'an empty error keeps its header and the space',
    result: { content: '', isError: true, errorCode: 'Timeout' },
    text: '[ERROR:Timeout] ',
  },
  {
    name: 'a code without an error is ignored',
    result: { content: 'fine', errorCode: 'ENOENT' },
    text: 'fine',
  },
  {
    name: 'a code beside isError: false is ignored',
    result: { content: 'fine', isError: false, errorCode: 'ENOENT' },
    text: 'fine',
  },
  {
    name: 'parts stand on lines of their own, images as placeholders',
    result: { content: [{ type: 'text', text: 'before' }, image, { type: 'text', text: 'after' }] },
    text: 'before\n[image]\nafter',
  },
  {
    name: 'a file is shown by its name when it has one',
    result: { content: [{ type: 'file', name: 'report.pdf' }, { type: 'file' }] },
    text: '[file: report.pdf]\n[file]',
  },
  {
    name: 'parts of an error have one header',
    result: { content: [{ type: 'text', text: 'no' }, image], isError: true, errorCode: 'Denied' },
    text: '[ERROR:Denied] no\n[image]',
  },
  { name: 'no parts are no text', result: { content: [] }, text: '' },
]

test.for(cases)('$name', ({ result, text }) => {
  expect(formatResultText(result)).toBe(text)
})
