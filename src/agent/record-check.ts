/** Records that a store gives back, looked at before a run is made of them: stores are damaged, and outlive versions. */
import { ToolglotError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import { FINISH_CATEGORIES } from './finish.ts'
import type { RunRecord } from './journal.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isObject: Check = (value) => isJsonObject(value)
const isPosition: Check = (value) => Number.isInteger(value) && Number(value) >= 0

const isMessage: Check = (value) =>
  isJsonObject(value) &&
  isText(value['role']) &&
  (isText(value['content']) || Array.isArray(value['content']))

export const areMessages: Check = (value) => Array.isArray(value) && value.every(isMessage)

const isFinish: Check = (value) =>
  isJsonObject(value) &&
  isText(value['reason']) &&
  Object.hasOwn(FINISH_CATEGORIES, String(value['reason']))

/** What a record of each type cannot be without. */
const FIELDS: { readonly [Type in RunRecord['type']]: Readonly<Record<string, Check>> } = {
  begin: { id: isText, messages: areMessages },
  reply: { message: isMessage, finishReason: isText, usage: isObject },
  started: { position: isPosition },
  result: { position: isPosition, result: isObject },
  decided: { decisions: isObject },
  closed: {},
  discarded: { usage: isObject },
  rejected: { feedback: isText },
  messages: { messages: areMessages },
  compacted: { messages: areMessages },
  ending: { finish: isFinish },
  finished: { finish: isFinish },
  resumed: { messages: areMessages },
}

/** @throws ToolglotError `store_invalid`, which says what is wrong with which record. */
export function checkRecords(records: readonly unknown[]): void {
  for (const [at, record] of records.entries()) {
    const fault = faultOf(record, at)
    if (fault === undefined) continue
    const message = `record ${at + 1} of ${records.length} of this run cannot be read: ${fault}`
    throw new ToolglotError(
      'store_invalid',
      `${message}; the store is damaged, or of a newer version`,
    )
  }
}

function faultOf(record: unknown, at: number): string | undefined {
  if (!isJsonObject(record)) return `it is ${record === null ? 'null' : 'no object'}`
  const { type } = record
  if (typeof type !== 'string' || !isKnown(type)) return `its type is ${JSON.stringify(type)}`
  if ((type === 'begin') !== (at === 0))
    return `a run begins with "begin", and only once, not with "${type}"`
  const field = Object.entries(FIELDS[type]).find(([name, isRight]) => !isRight(record[name]))
  return field && `"${field[0]}" of a record of the type "${type}" is missing or wrong`
}

function isKnown(type: string): type is RunRecord['type'] {
  return Object.hasOwn(FIELDS, type)
}
