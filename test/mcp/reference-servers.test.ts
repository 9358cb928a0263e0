/** The reference servers as tools, each a process of its own. */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ToolOutput } from '../../src/agent/tool-output.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { connectMcp, type McpConnection } from '../../src/mcp/index.ts'
import type { ToolContext } from '../../src/tool.ts'
import { runTool } from '../support/run-tool.ts'

const PATIENT = { timeout: 20_000 }
const require = createRequire(import.meta.url)
const FILES = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')

let mcp: McpConnection<'files' | 'all'>
let folder = ''

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolglot-mcp-')))
  mcp = await connectMcp({
    files: { command: process.execPath, args: [FILES, folder] },
    all: { command: process.execPath, args: [EVERYTHING] },
  })
})

afterAll(async () => {
  await mcp.close()
  rmSync(folder, { recursive: true, force: true })
})

function run(name: string, input: JsonObject, context?: Partial<ToolContext>): Promise<unknown> {
  const tool = mcp.tools.find((candidate) => candidate.name === name)
  if (!tool) throw new Error(`there is no ${name}`)
  return runTool(tool, input, context)
}

describe('file system', () => {
  test('tools say what they do to files', () => {
    const hints = Object.fromEntries(
      mcp.tools.map(({ name, annotations }) => [name, annotations] as const),
    )
    expect(hints['files__read_text_file']).toMatchObject({ readOnly: true })
    expect(hints['files__write_file']).toMatchObject({ readOnly: false, destructive: true })
    expect(hints['files__move_file']).toMatchObject({ idempotent: false })
  })

  test('a file is written, listed and read', async () => {
    const path = join(folder, 'harbour.txt')
    const content = 'Tromsø: 12 berths\n'
    expect(await run('files__write_file', { path, content })).toContain('Successfully wrote')
    expect(readFileSync(path, 'utf8')).toBe(content)
    expect(await run('files__list_directory', { path: folder })).toContain('[FILE] harbour.txt')
    expect(await run('files__read_text_file', { path })).toBe(content)
  })

  test('an image is a part', async () => {
    const path = join(folder, 'dot.png')
    writeFileSync(path, Buffer.from('89504e470d0a1a0a', 'hex'))
    const data = readFileSync(path).toString('base64')
    const parts = await run('files__read_media_file', { path })
    expect(parts).toContainEqual({ type: 'image', mediaType: 'image/png', data })
  })

  test('a file that is not there is an error with its code', async () => {
    const result = await run('files__read_text_file', { path: join(folder, 'nothing.txt') })
    expect(result).toBeInstanceOf(ToolOutput)
    expect(result).toMatchObject({ isError: true, errorCode: 'ENOENT' })
  })

  test('a file elsewhere is refused', async () => {
    const result = await run('files__read_text_file', { path: '/etc/hostname' })
    expect(result).toMatchObject({
      isError: true,
      content: expect.stringContaining('Access denied'),
    })
  })

  test('arguments that break the schema have the code of all such errors', async () => {
    const result = await run('files__read_text_file', { path: 7 })
    expect(result).toMatchObject({ isError: true, errorCode: 'InvalidArgs' })
  })
})

describe('everything', () => {
  test('the server says how to use it', () => {
    expect(mcp.servers.all.instructions).toContain('Everything')
  })

  test.for([
    ['echo', { message: 'ahoy' }, 'Echo: ahoy'],
    ['get-sum', { a: 40, b: 2 }, 'The sum of 40 and 2 is 42.'],
    ['get-structured-content', { location: 'Chicago' }, /"humidity":82/],
    ['get-resource-links', { count: 2 }, /Resource link: Text Resource 2 \(demo:\/\/\S+, text/],
    [
      'get-resource-reference',
      { resourceType: 'Text', resourceId: 1 },
      /Resource demo:.*\n.*plain/,
    ],
  ] as const)('%s', async ([name, input, expected]) => {
    const text = await run(`all__${name}`, input)
    expect(text).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected))
  })

  test.for([
    ['get-tiny-image', {}, { type: 'image', mediaType: 'image/png' }],
    [
      'get-annotated-message',
      { messageType: 'success', includeImage: true },
      { type: 'image', mediaType: 'image/png' },
    ],
    [
      'get-resource-reference',
      { resourceType: 'Blob', resourceId: 1 },
      { type: 'file', mediaType: 'text/plain', name: 'demo://resource/dynamic/blob/1' },
    ],
  ] as const)('%s gives parts', async ([name, input, part]) => {
    const data = expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)
    const parts = await run(`all__${name}`, input)
    expect(parts).toContainEqual({ ...part, data })
    expect(parts).toContainEqual({ type: 'text', text: expect.any(String) })
  })

  test('a long operation tells how far it is', async () => {
    const seen: unknown[] = []
    const progress = (value: unknown): number => seen.push(value)
    const input = { duration: 0.3, steps: 3 }
    expect(await run('all__trigger-long-running-operation', input, { progress })).toContain(
      'completed',
    )
    expect(seen).toEqual([1, 2, 3].map((done) => ({ progress: done, total: 3 })))
  })

  test('a long operation can be given up', async () => {
    const signal = AbortSignal.timeout(100)
    const input = { duration: 2, steps: 1 }
    await expect(
      run('all__trigger-long-running-operation', input, { signal }),
    ).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a tool that runs as a task is asked after until it is done', async () => {
    await expect
      .poll(() => mcp.tools.map(({ name }) => name), PATIENT)
      .toContain('all__simulate-research-query')
    const seen: unknown[] = []
    const progress = (value: unknown): number => seen.push(value)
    const report = await run('all__simulate-research-query', { topic: 'tides' }, { progress })
    expect(report).toContain('Research Report: tides')
    expect(seen).toContainEqual(expect.objectContaining({ status: 'completed' }))
  })
})

// Last, as it ends what the others use.
test.runIf(process.platform === 'linux')('closing leaves no process behind', async () => {
  expect(childrenLike('server-')).toHaveLength(2)
  await mcp.close()
  expect(childrenLike('server-')).toEqual([])
})

/** Processes that were started by this one. */
function childrenLike(text: string): string[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return numbers.filter((pid) => {
    try {
      const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return Number(parent) === process.pid && command.includes(text)
    } catch {
      return false // It ended meanwhile.
    }
  })
}
