/** What goes wrong between us and an MCP server. */
import { errorCodeOf } from '../core/error-code.ts'
import { ToolglotError } from '../core/errors.ts'
import { thrownMessage } from '../core/thrown-message.ts'

export type McpServerErrorCode =
  /** It could not be started or reached. */
  | 'mcp_unreachable'
  /** The connection broke while a call ran; whether the call took effect is not known. */
  | 'mcp_connection_lost'
  /** No answer and no progress for too long. */
  | 'mcp_timeout'
  /** The server refused the request itself, rather than that its tool failed. */
  | 'mcp_refused'
  /** The program has closed the connection. */
  | 'mcp_closed'

export interface Circumstances {
  readonly server: string
  /** What the results of calls carry; the code of the cause when left out. */
  readonly errorCode?: string
  /** The last lines of what the server wrote to its standard error. */
  readonly stderr?: readonly string[]
  readonly cause?: unknown
}

const MAX_MESSAGE = 200
const MAX_STDERR = 500

export class McpServerError extends ToolglotError {
  override readonly name = 'McpServerError'
  declare readonly code: McpServerErrorCode
  readonly server: string
  readonly errorCode: string
  readonly stderr: readonly string[]

  constructor(code: McpServerErrorCode, what: string, circumstances: Circumstances) {
    const { server, cause, stderr = [] } = circumstances
    super(code, `MCP server "${server}" ${what}${reason(cause)}${lastWords(stderr)}`, { cause })
    this.server = server
    this.errorCode = circumstances.errorCode ?? errorCodeOf(cause)
    this.stderr = stderr
  }
}

/** What an error says, without the prefix of the SDK, and not more than is good to read. */
function plainMessage(error: unknown): string {
  const message = thrownMessage(error)
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const plain = message.replace(/^MCP error -?\d+: /, '')
  return (inner ? `${plain}: ${inner}` : plain).slice(0, MAX_MESSAGE)
}

function reason(cause: unknown): string {
  return cause === undefined ? '' : `: ${plainMessage(cause)}`
}

function lastWords(stderr: readonly string[]): string {
  const text = stderr.slice(-5).join('\n').slice(-MAX_STDERR)
  return text === '' ? '' : `\nIts last words:\n${text}`
}
