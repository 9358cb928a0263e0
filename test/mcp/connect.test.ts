/** Servers as tools: what their connection has to survive. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, test } from 'vitest'
import { ToolOutput } from '../../src/agent/tool-output.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import {
  connectMcp,
  type McpConnection,
  type McpOptions,
  type McpServer,
  serveHttp,
  serveMcp,
} from '../../src/mcp/index.ts'
import type { RunnableTool, ToolContext } from '../../src/tool.ts'
import { PIXEL, tools } from '../fixtures/mcp/tools.ts'
import { runTool } from '../support/run-tool.ts'

const PATIENT = { timeout: 20_000 }
const SERVER = fileURLToPath(new URL('../fixtures/mcp/stdio-server.ts', import.meta.url))
const PROCESS = { command: process.execPath, args: ['--import', 'tsx', SERVER] }

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function connect<Name extends string>(
  servers: Record<Name, McpServer>,
  options?: McpOptions,
): Promise<McpConnection<Name>> {
  const connection = await connectMcp(servers, options)
  open.push(connection)
  return connection
}

/** A server in this process. */
function local(served: readonly RunnableTool[] = tools): McpServer {
  return {
    async transport() {
      const [near, far] = InMemoryTransport.createLinkedPair()
      await (await serveMcp(served)).connect(far)
      return near
    },
  }
}

/** A server that answers as it is told, however odd. */
function scripted(script: {
  list(cursor: string | undefined): JsonObject
  call?(name: string): JsonObject
  onStart?(server: Server): void
}): McpServer {
  return {
    async transport() {
      const [near, far] = InMemoryTransport.createLinkedPair()
      const server = new Server(
        { name: 'scripted', version: '1' },
        { capabilities: { tools: { listChanged: true } } },
      )
      server.setRequestHandler(ListToolsRequestSchema, ({ params }) => script.list(params?.cursor))
      // A later version of the SDK may know more kinds of content; this one refuses them in its handlers.
      server.fallbackRequestHandler = async ({ params }) =>
        script.call?.(String(params?.['name'])) ?? {}
      script.onStart?.(server)
      await server.connect(far)
      return near
    },
  }
}

function offer(...names: string[]): { tools: JsonObject[] } {
  return { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) }
}

function find({ tools: list }: McpConnection, name: string): RunnableTool {
  const found = list.find((tool) => tool.name === name)
  if (!found) throw new Error(`no ${name} among ${list.map((tool) => tool.name).join(', ')}`)
  return found
}

function run(
  connection: McpConnection,
  name: string,
  input: JsonObject = {},
  context: Partial<ToolContext> = {},
): Promise<unknown> {
  return runTool(find(connection, name), input, context)
}

describe('a server in this process', () => {
  test('its tools are ours, with all that is known of them', async () => {
    const mcp = await connect({ desk: local() })
    expect(mcp.servers.desk).toMatchObject({
      status: 'connected',
      version: { name: 'toolglot', version: '1.0.0' },
    })
    expect(mcp.tools).toHaveLength(tools.length)
    expect(find(mcp, 'desk__add')).toMatchObject({
      title: 'Add numbers',
      description: 'The sum of two numbers.',
      inputSchema: { type: 'object', required: ['a', 'b'] },
      annotations: { title: 'Add numbers', readOnly: true, idempotent: true },
      concurrencySafe: true,
      retries: 1,
    })
    expect(find(mcp, 'desk__pay').concurrencySafe).toBeUndefined()
  })

  test('results are text or parts', async () => {
    const mcp = await connect({ desk: local() })
    expect(await run(mcp, 'desk__add', { a: 4, b: 5 })).toBe('9')
    expect(await run(mcp, 'desk__picture')).toEqual([
      { type: 'text', text: 'A dot.' },
      { type: 'image', mediaType: 'image/png', data: PIXEL },
    ])
  })

  test('an error of the tool is a result with its code', async () => {
    const mcp = await connect({ desk: local() })
    const errorCode = 'ENOENT'
    const content = 'ENOENT: there is no such note'
    expect(await run(mcp, 'desk__read_note')).toEqual(new ToolOutput(content, { errorCode }))
  })

  test('the key of a call arrives', async () => {
    const mcp = await connect({ desk: local() })
    expect(await run(mcp, 'desk__key', {}, { key: 'run-7/step-2/0' })).toBe('run-7/step-2/0')
  })

  test('all progress is told, also what comes right before the answer', async () => {
    const mcp = await connect({ desk: local() })
    const seen: unknown[] = []
    const progress = (value: unknown): number => seen.push(value)
    expect(await run(mcp, 'desk__count', {}, { progress })).toBe('done')
    expect(seen).toEqual([
      { progress: 1, message: 'one' },
      { progress: 5, total: 6, message: 'nearly' },
    ])
  })

  test('a call that is cancelled rejects with the reason and is cancelled there', async () => {
    const mcp = await connect({ desk: local() })
    const before = Number(await run(mcp, 'desk__abandoned'))
    const controller = new AbortController()
    const waiting = run(
      mcp,
      'desk__wait',
      {},
      {
        signal: controller.signal,
        progress: () => controller.abort(new Error('changed my mind')),
      },
    )
    await expect(waiting).rejects.toThrow('changed my mind')
    await expect.poll(() => run(mcp, 'desk__abandoned'), PATIENT).toBe(String(before + 1))
  })

  test('a call without a sign of life is given up', async () => {
    const mcp = await connect({ desk: { ...local(), timeoutMs: 50 } })
    await expect(run(mcp, 'desk__wait')).rejects.toMatchObject({
      code: 'mcp_timeout',
      errorCode: 'Timeout',
      message: 'MCP server "desk" did not answer a call of wait: nothing for 50 ms',
    })
  })

  test('only the tools that are wanted', async () => {
    const mcp = await connect({ desk: { ...local(), tools: ['pid', 'key', 'no_such'] } })
    expect(mcp.tools.map(({ name }) => name)).toEqual(['desk__key', 'desk__pid'])
  })

  test('a disabled server is left alone', async () => {
    const mcp = await connect({ desk: { ...local(), disabled: true } })
    expect(mcp.tools).toEqual([])
    expect(mcp.servers.desk.status).toBe('disabled')
  })

  test('after closing, calls say so', async () => {
    const mcp = await connect({ desk: local() })
    const add = find(mcp, 'desk__add')
    await mcp.close()
    await expect(runTool(add, { a: 1, b: 2 })).rejects.toMatchObject({ code: 'mcp_closed' })
    expect(mcp.servers.desk.status).toBe('closed')
  })
})

describe('names', () => {
  const left = scripted({ list: () => offer('search', 'only_left') })
  const right = scripted({ list: () => offer('search') })

  test.for([
    [true, ['left__search', 'left__only_left', 'right__search']],
    ['on-conflict', ['left__search', 'only_left', 'right__search']],
  ] as const)('prefix %s', async ([prefix, names]) => {
    const mcp = await connect({ left, right }, { prefix })
    expect(mcp.tools.map(({ name }) => name)).toEqual(names)
  })

  test('without prefixes, two alike are an error that says what to do', async () => {
    await expect(connectMcp({ left, right }, { prefix: false })).rejects.toMatchObject({
      code: 'mcp_name_conflict',
      message: expect.stringContaining('"left" and "right" both have a tool named "search"'),
    })
  })
})

describe('odd servers', () => {
  test('tools come in pages, and a page that leads to itself is the last', async () => {
    const pages: Record<string, JsonObject> = {
      '': { ...offer('a', 'b'), nextCursor: 'second' },
      second: { ...offer('c', 'a'), nextCursor: 'third' },
      third: { ...offer('d'), nextCursor: 'third' },
    }
    const mcp = await connect(
      { book: scripted({ list: (cursor = '') => pages[cursor] ?? {} }) },
      { prefix: false },
    )
    expect(mcp.tools.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('a tool that breaks the rules does not take the others along', async () => {
    const broken = [{ name: 7 }, 'what', { name: 'bare' }, { name: 'odd', inputSchema: [] }]
    const mcp = await connect(
      { shop: scripted({ list: () => ({ tools: [...broken, ...offer('fine').tools] }) }) },
      { prefix: false },
    )
    const nothing = { type: 'object', properties: {} }
    expect(mcp.tools).toMatchObject([
      { name: 'bare', inputSchema: nothing },
      { name: 'odd', inputSchema: nothing },
      { name: 'fine' },
    ])
  })

  test('content of an unknown kind is shown as it is', async () => {
    const block = { type: 'hologram', data: 'zzz' }
    const shop = scripted({ list: () => offer('show'), call: () => ({ content: [block] }) })
    const mcp = await connect({ shop })
    expect(await run(mcp, 'shop__show')).toBe(JSON.stringify(block))
  })

  test('a server that refuses a call is named with the error of the protocol', async () => {
    const shop = scripted({
      list: () => offer('show'),
      call: () => {
        throw Object.assign(new Error('closed on Sundays'), { code: -32602 })
      },
    })
    const mcp = await connect({ shop })
    await expect(run(mcp, 'shop__show')).rejects.toMatchObject({
      code: 'mcp_refused',
      errorCode: 'McpError:InvalidParams',
      message: 'MCP server "shop" refused a call of show: closed on Sundays',
    })
  })

  test('a server that changes its tools is asked again', async () => {
    const offered = ['first']
    const servers: Server[] = []
    const changes: string[][] = []
    const shop = scripted({
      list: () => offer(...offered),
      onStart: (started) => servers.push(started),
    })
    const mcp = await connect(
      { shop },
      { onToolsChange: (list) => changes.push(list.map(({ name }) => name)) },
    )
    offered.push('second')
    await servers[0]?.sendToolListChanged()
    await expect.poll(() => changes, PATIENT).toEqual([['shop__first', 'shop__second']])
    expect(mcp.tools).toHaveLength(2)
    offered.push('third')
    expect((await mcp.refresh()).map(({ name }) => name)).toContain('shop__third')
  })

  test('a server without tools is no error', async () => {
    const mute: McpServer = {
      async transport() {
        const [near, far] = InMemoryTransport.createLinkedPair()
        await new Server({ name: 'mute', version: '1' }, { capabilities: {} }).connect(far)
        return near
      },
    }
    const mcp = await connect({ mute })
    expect(mcp.tools).toEqual([])
    expect(mcp.servers.mute.status).toBe('connected')
  })
})

describe('servers that fail', () => {
  const MISSING = { command: 'no-such-program' }
  const DYING = {
    command: process.execPath,
    args: ['-e', 'console.error("no licence found"); process.exit(3)'],
  }
  const SILENT = {
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    connectTimeoutMs: 300,
  }

  test('the others are used without them, and each says why', async () => {
    const mcp = await connect({ missing: MISSING, dying: DYING, silent: SILENT, desk: local() })
    const { missing, dying, silent, desk } = mcp.servers
    expect(desk.status).toBe('connected')
    expect(await run(mcp, 'desk__add', { a: 1, b: 1 })).toBe('2')
    expect(missing).toMatchObject({
      status: 'failed',
      error: { code: 'mcp_unreachable', errorCode: 'ENOENT' },
    })
    expect(dying).toMatchObject({ status: 'failed', stderr: ['no licence found'] })
    expect(dying.error?.message).toBe(
      'MCP server "dying" could not be started: Connection closed\nIts last words:\nno licence found',
    )
    expect(silent.error).toMatchObject({ errorCode: 'Timeout' })
    expect(silent.error?.message).toContain('not ready after 300 ms')
  })

  test('one that is required takes all down', async () => {
    const failing = connectMcp({ desk: local(), dying: { ...DYING, required: true } })
    await expect(failing).rejects.toMatchObject({ name: 'McpServerError', server: 'dying' })
  })

  test.for([
    ['{}', /"odd": needs either `command`/],
    ['null', /needs either/],
    ['{ "command": "a", "url": "http://127.0.0.1" }', /needs either/],
    ['{ "command": ["a", "b"] }', /`command` must be a string/],
    ['{ "url": "nowhere" }', /`url` is not an address/],
    [
      '{ "command": "a", "timeoutMs": "soon" }',
      /`timeoutMs` cannot be soon; it takes milliseconds/,
    ],
    ['{ "command": "a", "connectTimeoutMs": 0 }', /`connectTimeoutMs` cannot be 0/],
  ] as const)('%s in a file of settings is refused at once', async ([json, message]) => {
    const server = JSON.parse(json) as McpServer // so the file says
    await expect(connectMcp({ odd: server })).rejects.toThrow(message)
  })
})

test.for([undefined, null, [], 'files'])('servers cannot be %j', async (servers) => {
  // As a caller without types passes them.
  await expect(connectMcp(servers as never)).rejects.toThrow(
    'connectMcp takes servers by their names',
  )
})

test('time limits may be endless', async () => {
  const limits = {
    timeoutMs: Number.POSITIVE_INFINITY,
    connectTimeoutMs: Number.POSITIVE_INFINITY,
  }
  const { servers, tools, close } = await connectMcp({ desk: { ...local(), ...limits } })
  expect(servers.desk.status).toBe('connected')
  expect(tools.length).toBeGreaterThan(0)
  await close()
})

describe('a process', () => {
  test('that dies during a call is told with its last words, and started again by the next', async () => {
    const mcp = await connect({ desk: PROCESS })
    const first = Number(await run(mcp, 'desk__pid'))
    await expect(run(mcp, 'desk__crash')).rejects.toMatchObject({
      code: 'mcp_connection_lost',
      errorCode: 'ECONNRESET',
      stderr: ['out of paper'],
      message: expect.stringContaining('"desk" was lost during a call of crash'),
    })
    expect(mcp.servers.desk.status).toBe('lost')
    const [second, same] = await Promise.all([run(mcp, 'desk__pid'), run(mcp, 'desk__pid')])
    expect(Number(second)).not.toBe(first)
    expect(same).toBe(second)
    expect(mcp.servers.desk.status).toBe('connected')
    await mcp.close()
    expect([first, Number(second)].filter(isAlive)).toEqual([])
  })

  test('that does not react is ended all the same', async () => {
    const stubborn = { ...PROCESS, env: { STUBBORN: 'yes' } }
    const mcp = await connect({ desk: stubborn })
    const pid = Number(await run(mcp, 'desk__pid'))
    let waiting: Promise<unknown> = Promise.resolve()
    await new Promise((begun) => {
      waiting = run(mcp, 'desk__wait', {}, { progress: begun }).catch(({ code }) => code)
    })
    await mcp.close()
    expect(await waiting).toBe('mcp_connection_lost')
    expect(isAlive(pid)).toBe(false)
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('HTTP', () => {
  test('a server that is gone for a while is found again', async () => {
    const first = await serveHttp(tools)
    const port = Number(new URL(first.url).port)
    const mcp = await connect({ web: { url: first.url, headers: { 'x-team': 'blue' } } })
    expect(await run(mcp, 'web__add', { a: 2, b: 2 })).toBe('4')
    await first.close()
    await expect.poll(() => mcp.servers.web.status, PATIENT).toBe('lost')
    await expect(run(mcp, 'web__add', { a: 2, b: 2 })).rejects.toMatchObject({
      code: 'mcp_unreachable',
      errorCode: 'ECONNREFUSED',
    })
    open.push(await serveHttp(tools, { port }))
    expect(await run(mcp, 'web__add', { a: 2, b: 3 })).toBe('5')
  })

  test('a session the server has forgotten is begun anew, unseen', async () => {
    const http = await serveHttp(tools, { maxSessions: 1 })
    open.push(http)
    const first = await connect({ web: { url: http.url } })
    const second = await connect({ web: { url: http.url } })
    expect(await run(first, 'web__add', { a: 3, b: 3 })).toBe('6')
    expect(await run(second, 'web__add', { a: 3, b: 4 })).toBe('7')
  })

  test('a server that dies during a call does not keep it waiting', async () => {
    const http = await serveHttp(tools)
    const mcp = await connect({ web: { url: http.url } })
    const waiting = run(mcp, 'web__wait', {}, { progress: () => void http.close() })
    await expect(waiting).rejects.toMatchObject({ code: 'mcp_connection_lost' })
  })

  test('headers are sent', async () => {
    const http = await serveHttp(tools, {
      authorize: ({ headers }) => headers.authorization === 'Bearer open',
    })
    open.push(http)
    const mcp = await connect({
      guest: { url: http.url },
      friend: { url: http.url, headers: { authorization: 'Bearer open' } },
    })
    expect(mcp.servers.guest).toMatchObject({ status: 'failed' })
    expect(mcp.servers.guest.error?.message).toContain('not authorized')
    expect(mcp.servers.friend.status).toBe('connected')
  })

  test('a server of the older kind is spoken to in the older way', async () => {
    const { url, server } = await serveOldStyle()
    open.push({ close: () => server.closeAllConnections() }, server)
    const mcp = await connect({ old: { url } })
    expect(await run(mcp, 'old__add', { a: 20, b: 1 })).toBe('21')
  })
})

/** Events by GET, messages by POST elsewhere. */
async function serveOldStyle(): Promise<{ url: string; server: HttpServer }> {
  let transport: SSEServerTransport | undefined
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      transport = new SSEServerTransport('/messages', response)
      await (await serveMcp(tools)).connect(transport as Transport)
    } else if (request.url?.startsWith('/messages')) {
      await transport?.handlePostMessage(request, response)
    } else {
      response.writeHead(405).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens
  return { url: `http://127.0.0.1:${port}/sse`, server }
}
