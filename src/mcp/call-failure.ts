/** Why a call did not get an answer. */
import { errorCodeOf } from '../core/error-code.ts'
import { CallTimeout } from './remote-call.ts'
import { McpServerError } from './server-error.ts'
import type { Session } from './session.ts'

interface FailedCall {
  readonly server: string
  readonly tool: string
  readonly session: Session
}

const RPC_NAMES: Readonly<Record<number, string>> = {
  [-32700]: 'ParseError',
  [-32600]: 'InvalidRequest',
  [-32601]: 'MethodNotFound',
  [-32602]: 'InvalidParams',
  [-32603]: 'InternalError',
}

export function explainFailure(
  cause: unknown,
  { server, tool, session }: FailedCall,
): McpServerError {
  if (!session.isOpen || isNetworkTrouble(cause)) {
    const { stderr } = session
    return new McpServerError('mcp_connection_lost', `was lost during a call of ${tool}`, {
      server,
      errorCode: 'ECONNRESET',
      stderr,
      cause,
    })
  }
  if (cause instanceof CallTimeout) {
    const errorCode = 'Timeout'
    return new McpServerError('mcp_timeout', `did not answer a call of ${tool}`, {
      server,
      errorCode,
      cause,
    })
  }
  const errorCode = `McpError:${rpcName(cause)}`
  return new McpServerError('mcp_refused', `refused a call of ${tool}`, {
    server,
    errorCode,
    cause,
  })
}

/** True when the server cannot have seen the call: nobody listens, or it does not know our session. */
export function wasNotSent(failure: unknown): boolean {
  const cause = failure instanceof McpServerError ? failure.cause : failure
  if (!(cause instanceof Error)) return false
  if (cause.message === 'Not connected') return true
  const status = codeOf(cause)
  const isHttp = cause.message.startsWith('Streamable HTTP error')
  return (isHttp && (status === 400 || status === 404)) || errorCodeOf(cause) === 'ECONNREFUSED'
}

function isNetworkTrouble(error: unknown): boolean {
  return /^(?:E[A-Z]+|Network\w+|DNSError)$/.test(errorCodeOf(error))
}

function rpcName(error: unknown): string {
  const code = codeOf(error)
  return code === undefined ? 'Unknown' : (RPC_NAMES[code] ?? String(Math.abs(code)))
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' ? code : undefined
}
