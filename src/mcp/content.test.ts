import { expect, test } from 'vitest'
import type { JsonObject } from '../core/json/value.ts'
import type { Part } from '../core/model.ts'
import { decodeContent, encodeContent } from './content.ts'

interface DecodeCase {
  readonly name: string
  readonly result: JsonObject
  readonly value: unknown
}

const weather = { city: 'Bodø', degrees: -3 }

const cases: readonly DecodeCase[] = [
  { name: 'nothing is an empty text', result: {}, value: '' },
  {
    name: 'texts are one text',
    result: {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    value: 'a\nb',
  },
  {
    name: 'structured content beside text is the same again',
    result: { content: [{ type: 'text', text: 'cold' }], structuredContent: weather },
    value: 'cold',
  },
  {
    name: 'structured content alone is the value',
    result: { content: [], structuredContent: weather },
    value: weather,
  },
  {
    name: 'structured content beside an image is a text part',
    result: {
      content: [{ type: 'image', mimeType: 'image/jpeg', data: 'AAAA' }],
      structuredContent: weather,
    },
    value: [
      { type: 'image', mediaType: 'image/jpeg', data: 'AAAA' },
      { type: 'text', text: JSON.stringify(weather) },
    ],
  },
  {
    name: 'audio is a file',
    result: { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'BBBB' }] },
    value: [{ type: 'file', mediaType: 'audio/wav', data: 'BBBB' }],
  },
  {
    name: 'a resource that is an image is an image',
    result: {
      content: [
        { type: 'resource', resource: { uri: 'map://1', mimeType: 'image/png', blob: 'CCCC' } },
      ],
    },
    value: [{ type: 'image', mediaType: 'image/png', data: 'CCCC' }],
  },
  {
    name: 'a resource of text is text that says where it is from',
    result: { content: [{ type: 'resource', resource: { uri: 'map://2', text: 'north' } }] },
    value: 'Resource map://2:\nnorth',
  },
  {
    name: 'a link is described',
    result: {
      content: [
        { type: 'resource_link', uri: 'map://3', name: 'fjords', description: 'All of them' },
      ],
    },
    value: 'Resource link: fjords (map://3)\nAll of them',
  },
  {
    name: 'what is no content is shown all the same',
    result: { content: [{ type: 'resource', resource: 7 }, { type: 'smell' }] },
    value: '7\n{"type":"smell"}',
  },
]

test.for(cases)('$name', ({ result, value }) => {
  expect(decodeContent(result)).toEqual(value)
})

const parts: readonly Part[] = [
  { type: 'text', text: 'Here.' },
  { type: 'image', mediaType: 'image/png', data: 'AAAA' },
  { type: 'file', mediaType: 'audio/mp3', data: 'BBBB' },
  { type: 'file', mediaType: 'application/pdf', data: 'CCCC', name: 'tide table.pdf' },
  { type: 'image', url: 'https://example.org/quay.png' },
]

test('parts are blocks', () => {
  expect(encodeContent(parts)).toEqual([
    { type: 'text', text: 'Here.' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'audio', mimeType: 'audio/mp3', data: 'BBBB' },
    {
      type: 'resource',
      resource: {
        uri: 'attachment:tide%20table.pdf',
        mimeType: 'application/pdf',
        blob: 'CCCC',
      },
    },
    { type: 'resource_link', uri: 'https://example.org/quay.png', name: 'image-5' },
  ])
})
