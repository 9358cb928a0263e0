/** Fields of a state that came with a link, and may be anything. */
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'

/** What a tab puts into a link, and takes out of one. */
export interface Shareable {
  read(): JsonObject
  write(fields: SharedFields): void
}

export interface SharedFields {
  text(name: string): string | undefined
  flag(name: string): boolean | undefined
  number(name: string): number | undefined
}

export function sharedFields(state: unknown): SharedFields {
  const fields = isJsonObject(state) ? state : {}
  return {
    text(name) {
      const value = fields[name]
      return typeof value === 'string' ? value : undefined
    },
    flag(name) {
      const value = fields[name]
      return typeof value === 'boolean' ? value : undefined
    },
    number(name) {
      const value = fields[name]
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined
    },
  }
}
