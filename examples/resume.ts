/** A run that outlives its process: the first one dies half way, the second goes on where it was. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { runAgent, tool } from 'toolglot/agent'
import { model } from './model.ts'

// The process that is to die is this very program, with a folder as its argument.
const [, program = '', given] = process.argv
const folder = given ?? mkdtempSync(join(tmpdir(), 'resume-'))
const ledger = join(folder, 'ledger.txt')

const pay = tool({
  name: 'pay',
  description: 'Pays an invoice.',
  inputSchema: { type: 'object', properties: { invoice: { type: 'integer' } } },
  execute({ invoice }, { key }) {
    // For a service that knows idempotency keys, `key` is one.
    appendFileSync(ledger, `${invoice} ${key}\n`)
    return `invoice ${invoice} is paid`
  },
})

const checkBalance = tool({
  name: 'check_balance',
  description: 'What is left in the account.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnly: true },
  // The first process does not live to see it.
  execute: () => (given ? process.kill(process.pid, 'SIGKILL') : '120 left'),
})

const settings = {
  // A model has no memory of its own: what it says next depends on the history it is shown.
  client: model(({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool').length
    if (results === 0) return { calls: [{ name: 'pay', arguments: { invoice: 7 } }] }
    if (results === 1) return { calls: [{ name: 'check_balance' }] }
    return { text: 'Invoice 7 is paid, and 120 are left.' }
  }),
  tools: [pay, checkBalance],
  store: join(folder, 'runs.db'),
  runId: 'invoices',
}

if (given) {
  await runAgent({ ...settings, prompt: 'Pay invoice 7, then tell me what is left.' }).result
} else {
  const { signal } = spawnSync(process.execPath, [...process.execArgv, program, folder])
  console.log(`the first process ended with ${signal}`)
  const { text } = await runAgent(settings).result
  console.log(text)
  console.log(`payments: ${readFileSync(ledger, 'utf8').trim().split('\n').length}`)
  rmSync(folder, { recursive: true })
}
