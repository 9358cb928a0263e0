/** What callers pass by mistake is told before anything runs, in words that say what to do. */
import { expect, test } from 'vitest'
import { runAgent } from '../../src/agent/index.ts'
import { isToolglotError } from '../../src/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { sendMail } from './scenario.ts'

const client = scriptedModel([{ text: 'Ok.' }])

function mistake(options: unknown): string {
  try {
    // As a caller without types passes it.
    runAgent(options as never)
    return 'nothing was refused'
  } catch (error) {
    expect(isToolglotError(error)).toBe(true)
    return (error as Error).message // it is one
  }
}

test.for<[unknown, string]>([
  [undefined, 'runAgent takes options: runAgent({ client, prompt })'],
  [null, 'runAgent takes options'],
  [{ prompt: 'Go.' }, '`client` must be a client'],
])('%j', ([options, message]) => {
  expect(mistake(options)).toContain(message)
})

test.for<[object, string]>([
  [{ prompt: 5 }, '`prompt` must be text, not number'],
  [{ system: [] }, '`system` must be text, not object'],
  [{ messages: 'Hello' }, '`messages` must be a list of messages'],
  [{ messages: [5] }, '`messages` must be a list of messages'],
  [{ tools: { send_mail: sendMail } }, '`tools` must be a list'],
  [{ tools: ['send_mail'] }, 'tools[0] is no tool; define it with tool('],
  [{ tools: [sendMail, null] }, 'tools[1] is no tool'],
  [{ tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools[0] is no tool'],
  [{ maxSteps: '5' }, '`maxSteps` cannot be 5; it takes a number from 0 on'],
  [{ maxSteps: Number.NaN }, '`maxSteps` cannot be NaN'],
  [{ toolTimeoutMs: -1 }, '`toolTimeoutMs` cannot be -1'],
  [{ onMalformed: 'skip' }, '`onMalformed` cannot be skip; it takes repair or halt'],
  [{ permissions: 'plan' }, '`permissions` must be an object'],
  [
    { permissions: { phase: 'read-only' } },
    '`permissions.phase` cannot be read-only; it takes plan,',
  ],
  [{ permissions: { deny: 'send_*' } }, '`permissions.deny` must be a list of names, not string'],
  [{ permissions: { canUse: true } }, '`permissions.canUse` must be a function'],
  [{ decisions: {} }, '`decisions` need the run they belong to'],
])('%j', ([options, message]) => {
  expect(mistake({ client, prompt: 'Go.', ...options })).toContain(message)
})
