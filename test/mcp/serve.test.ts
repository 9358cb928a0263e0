/** The official client against tools of ours, over every transport. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type CallToolResult,
  CallToolResultSchema,
  ProgressNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcpHandler, serveHttp, serveMcp } from '../../src/mcp/index.ts'
import { tool } from '../../src/tool.ts'
import { PIXEL, tools } from '../fixtures/mcp/tools.ts'

interface Connected {
  readonly client: Client
  close(): Promise<void>
}

const OPTIONS = { name: 'fixture', version: '2.3.4', instructions: 'Be kind.' }
const PATIENT = { timeout: 20_000 }
const SERVER = fileURLToPath(new URL('../fixtures/mcp/stdio-server.ts', import.meta.url))

async function clientOf(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return client
}

async function inMemory(): Promise<Connected> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const server = await serveMcp(tools, OPTIONS)
  await server.connect(far)
  const client = await clientOf(near)
  return { client, close: () => client.close() }
}

async function overStdio(): Promise<Connected> {
  const args = ['--import', 'tsx', SERVER]
  const transport = new StdioClientTransport({ command: process.execPath, args })
  const client = await clientOf(transport)
  return { client, close: () => client.close() }
}

async function overHttp(): Promise<Connected> {
  const http = await serveHttp(tools, OPTIONS)
  // The optional session id of the SDK's class is not exact.
  const client = await clientOf(new StreamableHTTPClientTransport(new URL(http.url)) as Transport)
  return {
    client,
    async close() {
      await client.close()
      await http.close()
    },
  }
}

describe.for([
  ['in memory', inMemory],
  ['over stdio', overStdio],
  ['over HTTP', overHttp],
] as const)('%s', ([, connect]) => {
  let connected: Connected
  const call = async (name: string, args = {}): Promise<CallToolResult> =>
    CallToolResultSchema.parse(await connected.client.callTool({ name, arguments: args }))

  beforeAll(async () => {
    connected = await connect()
  })
  afterAll(() => connected.close())

  test('the server says who it is', () => {
    expect(connected.client.getServerVersion()).toMatchObject({ name: 'fixture', version: '2.3.4' })
    expect(connected.client.getInstructions()).toBe('Be kind.')
  })

  test('tools are listed with schema, title and hints', async () => {
    const listed = await connected.client.listTools()
    expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    expect(listed.tools[0]).toMatchObject({
      name: 'add',
      title: 'Add numbers',
      description: 'The sum of two numbers.',
      inputSchema: { type: 'object', required: ['a', 'b'] },
      annotations: { title: 'Add numbers', readOnlyHint: true, idempotentHint: true },
    })
  })

  test('a call is answered', async () => {
    expect(await call('add', { a: 19, b: 23 })).toEqual({ content: [{ type: 'text', text: '42' }] })
  })

  test('arguments are brought into the types of the schema', async () => {
    expect(await call('add', { a: '19', b: 23 })).toMatchObject({ content: [{ text: '42' }] })
  })

  test('arguments that break the schema are an error result with path and message', async () => {
    const { isError, content, _meta } = await call('add', { a: 'many' })
    expect(isError).toBe(true)
    expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/InvalidArgs/) }])
    expect(content).toMatchObject([
      { text: expect.stringMatching(/\bb\b.*required|required.*\bb\b/) },
    ])
    expect(_meta).toEqual({ 'toolglot/error-code': 'InvalidArgs' })
  })

  test('an unknown tool is an error of the protocol', async () => {
    await expect(call('subtract')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool: subtract'),
    })
  })

  test('JSON is text', async () => {
    const text = '{"harbour":"Tromsø","berths":12}'
    expect(await call('describe')).toEqual({ content: [{ type: 'text', text }] })
  })

  test('images are images', async () => {
    expect(await call('picture')).toEqual({
      content: [
        { type: 'text', text: 'A dot.' },
        { type: 'image', mimeType: 'image/png', data: PIXEL },
      ],
    })
  })

  test.for([
    ['read_note', 'ENOENT', 'ENOENT: there is no such note'],
    ['knock', 'NotAtHome', 'NotAtHome: nobody opens'],
    ['hurry', 'Timeout', "Timeout: tool call 'hurry' timed out after 30 ms"],
    ['pay', 'NotApproved', 'NotApproved: nobody has approved this call of pay'],
  ] as const)('%s fails with the code %s', async ([name, code, text]) => {
    expect(await call(name)).toEqual({
      isError: true,
      content: [{ type: 'text', text }],
      _meta: { 'toolglot/error-code': code },
    })
  })

  // With a handler of our own: the client's forgets a call with its answer, and drops what came just before.
  function onProgress(listener: (params: object) => void): void {
    connected.client.setNotificationHandler(ProgressNotificationSchema, ({ params }) =>
      listener(params),
    )
  }

  test('progress is told', async () => {
    const seen: unknown[] = []
    onProgress((params) => seen.push(params))
    const _meta = { progressToken: 'mine' }
    const result = await connected.client.callTool({ name: 'count', _meta })
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
    await expect
      .poll(() => seen, PATIENT)
      .toEqual([
        { progressToken: 'mine', progress: 1, message: 'one' },
        { progressToken: 'mine', progress: 5, total: 6, message: 'nearly' },
      ])
  })

  test('a call that is given up is cancelled', async () => {
    const before = await call('abandoned')
    const controller = new AbortController()
    onProgress(() => controller.abort())
    const _meta = { progressToken: 'mine' }
    const { signal } = controller
    const waiting = connected.client.callTool({ name: 'wait', _meta }, undefined, { signal })
    await expect(waiting).rejects.toThrow()
    const [text] = before.content
    const next = String(1 + Number(text?.type === 'text' && text.text))
    await expect
      .poll(async () => (await call('abandoned')).content, PATIENT)
      .toEqual([{ type: 'text', text: next }])
  })
})

describe('what cannot be served', () => {
  const silent = tool({ name: 'silent', inputSchema: true })
  const [add] = tools

  test.for([
    ['a tool without execute', [silent], /"silent" has no `execute`/],
    ['two tools of one name', [add, { ...add }], /two tools are named "add"/],
  ] as const)('%s', async ([, list, message]) => {
    const given = list.flatMap((one) => (one?.name === undefined ? [] : [{ ...silent, ...one }]))
    await expect(serveMcp(given)).rejects.toThrow(message)
    await expect(serveHttp(given)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

test.for([undefined, null, {}, [null]])('%j is no list of tools', async (list) => {
  // As a caller without types passes it.
  await expect(serveMcp(list as never)).rejects.toMatchObject({ code: 'invalid_input' })
})

test('a tool that needs approval runs when it is given', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const asked: string[] = []
  const server = await serveMcp(tools, {
    approve: ({ name }) => asked.push(name) > 0,
  })
  await server.connect(far)
  const client = await clientOf(near)
  expect(await client.callTool({ name: 'pay' })).toEqual({
    content: [{ type: 'text', text: 'paid' }],
  })
  expect(asked).toEqual(['pay'])
  await client.close()
})

describe('the door of the HTTP server', () => {
  const INITIALIZE = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  }

  async function post(url: string, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(INITIALIZE),
    })
    await response.arrayBuffer()
    return response
  }

  test('it listens on the loopback interface only, and at one path', async () => {
    const http = await serveHttp(tools)
    expect(new URL(http.url).hostname).toBe('127.0.0.1')
    expect((await post(http.url)).status).toBe(200)
    expect((await post(http.url.replace('/mcp', '/'))).status).toBe(404)
    await http.close()
    await expect(post(http.url)).rejects.toThrow()
  })

  test.for([
    ['no origin', {}, 200],
    ['a page of this machine', { origin: 'http://localhost:5173' }, 200],
    ['a page from elsewhere', { origin: 'https://evil.example' }, 403],
    ['a page that hides', { origin: 'null' }, 403],
    ['a page that was allowed', { origin: 'https://app.example' }, 200],
    ['a session nobody knows', { 'mcp-session-id': 'stale' }, 404],
  ] as const)('%s', async ([, headers, status]) => {
    const http = await serveHttp(tools, { allowedOrigins: ['https://app.example'] })
    expect((await post(http.url, headers)).status).toBe(status)
    await http.close()
  })

  test('who is not authorized stays out', async () => {
    const http = await serveHttp(tools, {
      authorize: ({ headers }) => headers.authorization === 'Bearer open',
    })
    expect((await post(http.url)).status).toBe(401)
    expect((await post(http.url, { authorization: 'Bearer open' })).status).toBe(200)
    await http.close()
  })

  test('a door that breaks lets nobody in, and stays up', async () => {
    const http = await serveHttp(tools, {
      authorize: () => {
        throw new Error('the list of guests is lost')
      },
    })
    const response = await post(http.url)
    expect(response.status).toBe(500)
    expect((await post(http.url)).status).toBe(500)
    await http.close()
  })

  test('sessions are limited; the one that was quiet for longest goes', async () => {
    const handler = createMcpHandler(tools, { maxSessions: 2 })
    const server = createServer(handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo // it listens
    const url = `http://127.0.0.1:${port}/anywhere`
    const ids: string[] = []
    for (let count = 0; count < 3; count++) {
      ids.push((await post(url)).headers.get('mcp-session-id') ?? '')
    }
    const statuses = ids.map(async (id) => {
      const response = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } })
      return response.status
    })
    expect(await Promise.all(statuses)).toEqual([404, 200, 200])
    await handler.close()
    server.close()
  })
})
