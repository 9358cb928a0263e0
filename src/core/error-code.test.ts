import { exec, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorCodeOf, leadingWord, outcomeOf } from './error-code.ts'
import { ToolglotError } from './errors.ts'

const errno = (code: string, syscall?: string): Error =>
  Object.assign(new Error(`${code}: it failed`), { code, ...(syscall && { syscall }) })

const wrapping = (cause: unknown, message = 'the tool failed'): Error =>
  new Error(message, { cause })

const fetchFailed = (cause?: unknown): Error => new TypeError('fetch failed', { cause })

async function thrownBy(action: () => unknown): Promise<unknown> {
  try {
    await action()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

type Row = readonly [what: string, error: unknown, code: string]

function check(rows: readonly Row[]): void {
  test.for(rows)('%s', ([, error, code]) => {
    expect(errorCodeOf(error)).toBe(code)
  })
}

describe('no error', () => {
  check([
    ['null has no code', null, ''],
    ['undefined has no code', undefined, ''],
  ])
})

describe('interruptions', () => {
  check([
    ['an abort', new DOMException('stop', 'AbortError'), 'Canceled'],
    ['an abort of Node', Object.assign(new Error('x'), { code: 'ABORT_ERR' }), 'Canceled'],
    ['an abort of another HTTP library', { name: 'CanceledError', message: 'x' }, 'Canceled'],
    ['an abort, wrapped', wrapping(new DOMException('stop', 'AbortError')), 'Canceled'],
    ['a time-out', new DOMException('late', 'TimeoutError'), 'Timeout'],
    [
      'an abort because of a time-out',
      Object.assign(wrapping(new DOMException('late', 'TimeoutError')), { name: 'AbortError' }),
      'Timeout',
    ],
    ['a process that took too long', { timedOut: true, exitCode: 143, message: 'x' }, 'Timeout'],
    ["Go's cancellation", new Error('rpc: context canceled'), 'Canceled'],
    ["Go's cancellation as a text", 'context canceled', 'Canceled'],
    ["Go's time-out", 'context deadline exceeded', 'Timeout'],
  ])

  test('signals of this runtime', async () => {
    const reason = await thrownBy(() => AbortSignal.abort().throwIfAborted())
    expect(errorCodeOf(reason)).toBe('Canceled')
    const signal = AbortSignal.timeout(1)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    expect(errorCodeOf(signal.reason)).toBe('Timeout')
    const error = await thrownBy(() => promisify(execFile)('node', ['-v'], { signal }))
    expect(errorCodeOf(error)).toBe('Timeout')
  })
})

describe('files and the system', () => {
  check([
    ['a missing file', errno('ENOENT'), 'ENOENT'],
    ['an operation not permitted counts as access denied', errno('EPERM'), 'EACCES'],
    ['a directory', errno('EISDIR'), 'EISDIR'],
    ['an errno inside', wrapping(wrapping(errno('EROFS'))), 'EROFS'],
    ['an errno inside a class of its own', new RangeError('x', { cause: errno('EIO') }), 'EIO'],
    ['an errno as text', 'errno:ENOENT', 'ENOENT'],
    ['an errno in the message', new Error('connect ECONNREFUSED 127.0.0.1:1'), 'ECONNREFUSED'],
    ['a plain object', { code: 'EEXIST' }, 'EEXIST'],
    ['a time-out that is not of the network', errno('ETIMEDOUT', 'spawnSync'), 'ETIMEDOUT'],
  ])

  test('a file that is really missing', async () => {
    const error = await thrownBy(() => readFile(new URL('./no-such-file', import.meta.url)))
    expect(errorCodeOf(error)).toBe('ENOENT')
  })
})

describe('the network', () => {
  check([
    ['a connection that timed out', errno('ETIMEDOUT', 'connect'), 'NetworkTimeout'],
    ['a name nobody knows', errno('ENOTFOUND', 'getaddrinfo'), 'DNSError'],
    ['a name server that is away', errno('EAI_AGAIN', 'getaddrinfo'), 'DNSError'],
    ['a failed query', errno('ESERVFAIL', 'queryA'), 'DNSError'],
    ['a refused connection inside fetch', fetchFailed(errno('ECONNREFUSED')), 'ECONNREFUSED'],
    ['an unknown name inside fetch', fetchFailed(errno('ENOTFOUND')), 'DNSError'],
    [
      'addresses tried side by side',
      fetchFailed(new AggregateError([errno('ECONNREFUSED'), errno('ENETUNREACH')])),
      'ECONNREFUSED',
    ],
    ['a socket that closed', fetchFailed(errno('UND_ERR_SOCKET')), 'NetworkError'],
    [
      'a socket that closed for a reason',
      fetchFailed(Object.assign(wrapping(errno('ECONNRESET')), { code: 'UND_ERR_SOCKET' })),
      'ECONNRESET',
    ],
    ['a connect time-out', fetchFailed(errno('UND_ERR_CONNECT_TIMEOUT')), 'NetworkTimeout'],
    ['a header time-out', fetchFailed(errno('UND_ERR_HEADERS_TIMEOUT')), 'NetworkTimeout'],
    ['a body time-out', fetchFailed(errno('UND_ERR_BODY_TIMEOUT')), 'NetworkTimeout'],
    ['fetch without a reason', fetchFailed(), 'NetworkError'],
    ['fetch in a browser', new TypeError('Failed to fetch'), 'NetworkError'],
    ["Go's operation time-out", 'dial tcp 10.0.0.1:80: i/o timeout', 'NetworkTimeout'],
    ["Go's operation error", 'read tcp 10.0.0.1:80: broken', 'NetworkError'],
    ["Go's operation error by type", 'net.OpError', 'NetworkError'],
    ["Go's operation time-out by type", 'net.OpError(timeout)', 'NetworkTimeout'],
    ["Go's lookup error", 'dial tcp: lookup nowhere: no such host', 'DNSError'],
    ['a name for it', 'DNSError', 'DNSError'],
  ])

  test('fetch to a port where nobody listens any more', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    const error = await thrownBy(() => fetch(`http://127.0.0.1:${port}/`))
    expect(errorCodeOf(error)).toBe('ECONNREFUSED')
  })
})

describe('processes', () => {
  const exit = ['-e', 'process.exit(3)']

  test('whoever ran it, the exit code is found', async () => {
    const node = JSON.stringify(process.execPath)
    const errors = [
      await thrownBy(() => promisify(exec)(`${node} -e "process.exit(3)"`)),
      await thrownBy(() => promisify(execFile)(process.execPath, exit)),
      await thrownBy(() => execFileSync(process.execPath, exit)),
    ]
    expect(errors.map(errorCodeOf)).toEqual(['ExitCode:3', 'ExitCode:3', 'ExitCode:3'])
  })

  test('a program that does not exist', async () => {
    const error = await new Promise((resolve) => spawn('no-such-program').once('error', resolve))
    expect(errorCodeOf(error)).toBe('ENOENT')
  })

  check([
    ['said by Go', 'exit status 2', 'ExitCode:2'],
    ['said by Rust', new Error('exit status: 101'), 'ExitCode:101'],
    ['said by npm', new Error('Command failed with exit code 1: npm test'), 'ExitCode:1'],
    ['said by a wrapper', new Error('the linter exited with code 2'), 'ExitCode:2'],
    [
      'a number that is no exit code',
      Object.assign(new Error('duplicate key'), { code: 11000 }),
      'DuplicateError',
    ],
  ])
})

describe('arguments that do not fit', () => {
  const listed = [{ code: 'invalid_type', path: ['city'], message: 'expected string' }]
  check([
    [
      'Zod and Valibot',
      Object.assign(new Error('x'), { name: 'ZodError', issues: listed }),
      'InvalidArgs',
    ],
    ['Standard Schema', { issues: [{ message: 'expected string' }] }, 'InvalidArgs'],
    [
      'Ajv',
      {
        message: 'validation failed',
        errors: [{ schemaPath: '#/type', message: 'must be string' }],
      },
      'InvalidArgs',
    ],
    ['our own', new ToolglotError('InvalidArgs', 'city is missing'), 'InvalidArgs'],
    [
      'an empty list says nothing',
      Object.assign(new Error('odd things'), { issues: [] }),
      'OddError',
    ],
  ])

  test.for(['{', '{"a" 1}', 'nonsense', '{"a": 1,}', '"\n"'])('%j is not JSON', async (text) => {
    expect(errorCodeOf(await thrownBy(() => JSON.parse(text)))).toBe('InvalidArgs')
  })
})

describe('codes of their own', () => {
  const having = (fields: object): Error => Object.assign(new Error('something broke'), fields)
  check([
    [
      'an errorCode is kept',
      having({ errorCode: 'BusinessError:ItemNotFound' }),
      'BusinessError:ItemNotFound',
    ],
    ['a code is kept', having({ code: 'rate_limit_exceeded' }), 'rate_limit_exceeded'],
    ['an errorCode comes first', having({ errorCode: 'Mine', code: 'ENOENT' }), 'Mine'],
    ['it comes before the cause', Object.assign(wrapping(errno('EIO')), { code: 'Mine' }), 'Mine'],
    ['a sentence is no code', having({ code: 'went wrong!' }), 'SomethingError'],
    ['neither is a number', having({ code: 42 }), 'SomethingError'],
    ['nor an endless text', having({ code: 'x'.repeat(100) }), 'SomethingError'],
  ])
})

describe('everything else', () => {
  class QuotaError extends Error {}
  check([
    ['the first word of the message', new Error('json: cannot unmarshal'), 'JsonError'],
    ['of YAML', new Error('yaml: line 3: mapping values not allowed'), 'YamlError'],
    ['of HTTP', new Error('http: server closed'), 'HttpError'],
    ['of certificates', new Error('x509: certificate verification failed'), 'X509Error'],
    ['a text', 'json: cannot unmarshal', 'JsonError'],
    ['a text that names a class', 'TypeError: x is not a function', 'TypeError'],
    ['the word error says nothing', 'error: disk is full', 'DiskError'],
    ['a class', new RangeError('out of range'), 'RangeError'],
    ['a class by name', { name: 'DatabaseError', message: 'x' }, 'DatabaseError'],
    ['a class that did not set its name', new QuotaError('no more'), 'QuotaError'],
    ['a syntax error that is not about JSON', new SyntaxError('bad regex'), 'SyntaxError'],
    ['a long word is cut', new Error('a'.repeat(40)), `A${'a'.repeat(23)}Error`],
    ['a message that begins with a separator', new Error(': what?'), 'UnknownError'],
    ['no message', new Error(''), 'UnknownError'],
    ['a number', 7, 'UnknownError'],
    ['an empty object', {}, 'UnknownError'],
  ])

  test('errors that wrap each other in a circle', () => {
    const one = new Error('first: x')
    const two = wrapping(one)
    Object.assign(one, { cause: two })
    expect(errorCodeOf(one)).toBe('FirstError')
  })

  test('objects that throw when looked at', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('hands off')
        },
      },
    )
    expect(errorCodeOf(hostile)).toBe('UnknownError')
  })

  test('whatever is thrown, there is a code and no exception', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (error) => {
        const code = errorCodeOf(error)
        expect(code === '').toBe(error === null || error === undefined)
      }),
    )
  })
})

test.for([
  ['', ''],
  [':', ''],
  [' x', ''],
  ['a', 'a'],
  ['ab.cd', 'ab'],
  ['abc def', 'abc'],
  ['a;b', 'a'],
  ['a(b', 'a'],
  ['a-word-or-two', 'a'],
  ['thisisaverylongwordthatshouldbetruncatedeventually', 'thisisaverylongwordthats'],
] as const)('the leading word of %j is %j', ([message, word]) => {
  expect(leadingWord(message)).toBe(word)
})

describe('the outcome of a tool that returns text and perhaps an error', () => {
  test('without an error the output is all there is', () => {
    expect(outcomeOf('done', null)).toEqual({ content: 'done' })
  })

  test('without output the error takes its place', () => {
    expect(outcomeOf('', new Error('boom'))).toEqual({
      content: 'boom',
      isError: true,
      errorCode: 'BoomError',
    })
  })

  test('with both, the error follows the output', () => {
    const outcome = outcomeOf('half of it\n', errno('ENOENT'))
    expect(outcome).toMatchObject({ isError: true, errorCode: 'ENOENT' })
    expect(outcome.content).toBe('half of it\nerror: ENOENT: it failed')
  })
})
