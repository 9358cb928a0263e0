/** Streams that say what they cannot: the same that is told of the whole reply. */
import type { StreamEncoder, StreamEncoderOptions } from '../core/dialect.ts'
import { replyFields } from './request-fields.ts'

type CreateEncoder = (options?: StreamEncoderOptions) => StreamEncoder

/** The encoder of a dialect, which reports at the end what the reply keeps for other dialects. */
export function tellingLoss(
  dialect: string,
  create: CreateEncoder,
  form?: { readonly isTextOnly: boolean },
): CreateEncoder {
  return (options) => {
    const encoder = create(options)
    if (!options?.report) return encoder
    return {
      push(event) {
        if (event.type === 'finish') replyFields(dialect, event.response, options, form)
        return encoder.push(event)
      },
    }
  }
}
