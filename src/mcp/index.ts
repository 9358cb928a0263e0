/** Tools of MCP servers, and ours for MCP clients. */
export { connectMcp, type McpConnection, type McpOptions } from './connect.ts'
export type { GuardOptions as RequestGuardOptions } from './request-guard.ts'
export { type ServeOptions, serveMcp } from './serve.ts'
export {
  createMcpHandler,
  type McpHandler,
  type McpHandlerOptions,
  type McpHttpServer,
  type ServeHttpOptions,
  serveHttp,
} from './serve-http.ts'
export { serveStdio } from './serve-stdio.ts'
export type { ServedCallOptions } from './served-call.ts'
export type {
  McpAddress,
  McpCustom,
  McpProcess,
  McpServer,
  McpServerOptions,
} from './server-config.ts'
export type { Circumstances as McpCircumstances } from './server-error.ts'
export { McpServerError, type McpServerErrorCode } from './server-error.ts'
export type { McpServerState, McpServerStatus } from './server-link.ts'
export type { NamePrefix } from './tool-names.ts'
