/** What MCP tools give back, as ours, and the other way round. */
import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Part } from '../core/model.ts'

/**
 * The value of a call: a string when there is only text, parts when there is more, the structured
 * content when there is nothing else. Blocks of a kind we do not know are shown as their JSON.
 */
export function decodeContent(result: JsonObject): unknown {
  const blocks = Array.isArray(result['content']) ? result['content'] : []
  const parts = blocks.map((block) => decodeBlock(isJsonObject(block) ? block : {}))
  const structured = result['structuredContent']
  // Servers repeat their structured content as text; only those that do not need it shown.
  if (structured !== undefined && !parts.some(({ type }) => type === 'text')) {
    if (parts.length === 0) return structured
    parts.push(text(JSON.stringify(structured)))
  }
  return joined(parts) ?? parts
}

function joined(parts: readonly Part[]): string | undefined {
  const texts = parts.map((part) => (part.type === 'text' ? part.text : undefined))
  return texts.includes(undefined) ? undefined : texts.join('\n')
}

function decodeBlock(block: JsonObject): Part {
  switch (block['type']) {
    case 'text':
      return text(stringOf(block['text']))
    case 'image':
    case 'audio':
      return media(stringOf(block['data']), stringOf(block['mimeType']))
    case 'resource':
      return decodeResource(block['resource'])
    case 'resource_link':
      return text(describeLink(block))
    default:
      return text(JSON.stringify(block))
  }
}

function decodeResource(resource: unknown): Part {
  if (!isJsonObject(resource)) return text(JSON.stringify(resource))
  const uri = stringOf(resource['uri'])
  const { blob } = resource
  if (typeof blob === 'string') return media(blob, stringOf(resource['mimeType']), uri)
  return text(`Resource ${uri}:\n${stringOf(resource['text'])}`)
}

function media(data: string, mediaType: string, name?: string): Part {
  const type = mediaType.startsWith('image/') ? 'image' : 'file'
  return {
    type,
    data,
    ...(mediaType && { mediaType }),
    ...(type === 'file' && name && { name }),
  }
}

// Not a part with an address: only the server can resolve most of them.
function describeLink(link: JsonObject): string {
  const name = stringOf(link['title']) || stringOf(link['name'])
  const details = [link['uri'], link['mimeType']].filter((detail) => detail !== undefined)
  const description = stringOf(link['description'])
  return `Resource link: ${name} (${details.join(', ')})${description && `\n${description}`}`
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function text(content: string): Part {
  return { type: 'text', text: content }
}

/** The content of a result as MCP has it. */
export function encodeContent(content: string | readonly Part[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(encodePart)
}

function encodePart(part: Part, at: number): ContentBlock {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { data, url = '' } = part
  const name = (part.type === 'file' && part.name) || `${part.type}-${at + 1}`
  const mediaType = part.mediaType && { mimeType: part.mediaType }
  if (data === undefined) return { type: 'resource_link', uri: url, name, ...mediaType }
  if (part.type === 'image') return { type: 'image', data, mimeType: part.mediaType ?? 'image/png' }
  if (part.mediaType?.startsWith('audio/')) {
    return { type: 'audio', data, mimeType: part.mediaType }
  }
  const uri = `attachment:${encodeURIComponent(name)}`
  return { type: 'resource', resource: { uri, blob: data, ...mediaType } }
}
