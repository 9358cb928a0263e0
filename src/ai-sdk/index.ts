/**
 * Toolglot inside the AI SDK (`ai` 6): a middleware that gives any model working tools, and tools and
 * messages both ways.
 *
 * @module
 */
export { fromModelMessages, toModelMessages } from './messages.ts'
export { toolglotMiddleware } from './middleware.ts'
export type { MiddlewareOptions } from './middleware-options.ts'
export { fromAiTools, toAiTools } from './tools.ts'
