import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { anthropic } from '../dialects/anthropic.ts'
import { UsageError } from './command.ts'
import { convertCommand } from './convert.ts'
import { createTerminal } from './terminal.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolglot-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

function convert(document: unknown, ...args: readonly string[]) {
  const file = join(folder, 'document.json')
  writeFileSync(file, JSON.stringify(document))
  return convertCommand.run([file, ...args], createTerminal({ write: () => true }, {}, true))
}

describe('what cannot be converted', () => {
  test('is told as a mistake in what was given', async () => {
    const request = { model: 'm', prompt: 'no messages here' }
    const run = convert(request, '--from', 'openai-chat', '--to', 'anthropic')
    await expect(run).rejects.toThrow(UsageError)
    await expect(run).rejects.toThrow(/has a list of messages/)
  })

  test('because we are wrong is told as what it is', async () => {
    const mistake = new TypeError('undefined is not a function')
    vi.spyOn(anthropic, 'encodeRequest').mockImplementation(() => {
      throw mistake
    })
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hello?' }] }
    const run = convert(request, '--from', 'openai-chat', '--to', 'anthropic')
    await expect(run).rejects.toBe(mistake)
  })
})
