/** Conversations as the language models of the AI SDK take them: stricter than its messages. */
import type { FilePart, ImagePart, ModelMessage, TextPart } from 'ai'
import type { Message } from '../core/model.ts'
import { readData, writeData } from './data-content.ts'
import type { Prompt } from './language-model.ts'
import { toModelMessages } from './messages.ts'
import { UNKNOWN_TYPES } from './result-output.ts'

/** A conversation without tools as a prompt. */
export function toPrompt(messages: readonly Message[]): Prompt {
  // Calls and results are text by now; what remains differs in contents only, which are rewritten here.
  return toModelMessages(messages).map(strict) as Prompt
}

function strict(message: ModelMessage): ModelMessage {
  const { role, content } = message
  if (role === 'user') return { ...message, content: partsOf(content).map(strictPart) }
  if (role !== 'assistant') return message
  const parts = partsOf(content)
  return {
    ...message,
    content: parts.map((part) => (part.type === 'file' ? strictFile(part) : part)),
  }
}

function partsOf<Part>(content: string | Part[]): (Part | TextPart)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function strictPart(part: TextPart | ImagePart | FilePart): TextPart | FilePart {
  if (part.type === 'text') return part
  if (part.type === 'file') return strictFile(part)
  const { image: data, mediaType = UNKNOWN_TYPES.image, ...rest } = part
  return strictFile({ ...rest, type: 'file', data, mediaType })
}

/** An address is an object here, for a text is always base64. */
function strictFile(part: FilePart): FilePart {
  return { ...part, data: writeData(readData(part.data, part.mediaType)) }
}
