/** Results of tools, between the outputs of the AI SDK and the neutral model. */
import type { ToolResultPart } from 'ai'
import type { Part, ToolResult } from '../core/model.ts'
import { codePrefix, readCode } from '../dialects/failed-result.ts'

export type ToolOutput = ToolResultPart['output']
type OutputItem = Extract<ToolOutput, { type: 'content' }>['value'][number]
type Outcome = Pick<ToolResult, 'content' | 'isError' | 'errorCode'>

export function readOutput(output: ToolOutput): Outcome {
  switch (output.type) {
    case 'text':
      return { content: output.value }
    case 'json':
      return { content: JSON.stringify(output.value) }
    case 'content':
      return { content: output.value.map(readItem) }
    case 'execution-denied':
      return { content: output.reason ?? DENIED, isError: true, errorCode: 'Denied' }
    case 'error-json':
      return { content: JSON.stringify(output.value), isError: true }
    case 'error-text': {
      const { callId: _, ...outcome } = readCode({
        callId: '',
        content: output.value,
        isError: true,
      })
      return outcome
    }
  }
}

const DENIED = 'Tool execution denied.'

function readItem(item: OutputItem): Part {
  switch (item.type) {
    case 'text':
      return { type: 'text', text: item.text }
    case 'image-data':
      return { type: 'image', mediaType: item.mediaType, data: item.data }
    case 'image-url':
      return { type: 'image', url: item.url }
    case 'file-url':
      return { type: 'file', url: item.url }
    case 'media':
      return { type: kindOf(item.mediaType), mediaType: item.mediaType, data: item.data }
    case 'file-data': {
      const { mediaType, data, filename: name } = item
      return { type: 'file', mediaType, data, ...(name !== undefined && { name }) }
    }
    default:
      // A file that only its provider can open, or something that only the SDK knows.
      return { type: 'text', text: `[${item.type}]` }
  }
}

function kindOf(mediaType: string): 'image' | 'file' {
  return mediaType.startsWith('image/') ? 'image' : 'file'
}

export function writeOutput(result: Outcome): ToolOutput {
  const { content, isError } = result
  if (!isError) {
    if (typeof content === 'string') return { type: 'text', value: content }
    return { type: 'content', value: content.map(writeItem) }
  }
  const text = typeof content === 'string' ? content : content.map(textOf).join('\n')
  return { type: 'error-text', value: codePrefix({ ...result, callId: '' }) + text }
}

function writeItem(part: Part): OutputItem {
  if (part.type === 'text') return part
  const { type, url, data = '', mediaType = UNKNOWN_TYPES[type] } = part
  if (type === 'image') {
    return url === undefined ? { type: 'image-data', data, mediaType } : { type: 'image-url', url }
  }
  if (url !== undefined) return { type: 'file-url', url }
  const { name } = part
  return { type: 'file-data', data, mediaType, ...(name !== undefined && { filename: name }) }
}

export const UNKNOWN_TYPES = { image: 'image/*', file: 'application/octet-stream' } as const

/** A failure is told in words only. */
function textOf(part: Part): string {
  return part.type === 'text' ? part.text : `[${part.type}]`
}
