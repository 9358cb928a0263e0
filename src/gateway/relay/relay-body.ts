/** The body of a request to an API besides chat, whatever it is written in. */
import { type ExtraBody, withExtraBody } from '../../client/extra-body.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { RequestBody } from '../request-body.ts'
import type { Form } from './form.ts'
import type { RelayEndpoint } from './relay-endpoint.ts'

export interface RelayBody {
  /** The JSON object, or the texts of the form. */
  readonly fields: JsonObject
  /** What those who look on are shown; a form has files that nobody can read. */
  readonly shown: Uint8Array
  /** True: the fields are all there is, and can be written anew. */
  readonly isJson: boolean
  /** For a provider that knows the model by this name, if any, with the fields that the configuration adds to JSON. */
  write(model: string | undefined, extra: ExtraBody): WrittenBody
}

export interface WrittenBody {
  readonly body: string | Uint8Array
  readonly contentType: string
  /** What those who look on are shown. */
  readonly shown: string
}

const JSON_TYPE = 'application/json'

export function jsonRelayBody(
  { body, bytes }: RequestBody,
  { rename = withModel }: Pick<RelayEndpoint, 'rename'>,
): RelayBody {
  return {
    fields: body,
    shown: bytes,
    isJson: true,
    write: (model, extra) => {
      const renamed = model === undefined ? body : rename(body, model)
      return writtenJson(withExtraBody(renamed, extra))
    },
  }
}

export function writtenJson(fields: JsonObject): WrittenBody {
  const body = JSON.stringify(fields)
  return { body, contentType: JSON_TYPE, shown: body }
}

function withModel(body: JsonObject, model: string): JsonObject {
  return { ...body, model }
}

export function formRelayBody(form: Form, bytes: Uint8Array, contentType: string): RelayBody {
  return {
    fields: form.fields,
    shown: new TextEncoder().encode(form.summary),
    isJson: false,
    write: (model) => ({
      body: model === undefined ? bytes : form.with('model', model),
      contentType,
      shown: form.summary,
    }),
  }
}
