/**
 * Mistakes of the caller or of the network. What a model or a provider got wrong is an `Issue`
 * instead (`issue.ts`).
 */

// A registered symbol, so that the guard also knows errors thrown by a second copy of the package.
const BRAND: unique symbol = Symbol.for('toolglot.error')

/** An error that this package throws on purpose; they are told apart by `code`. */
export class ToolglotError extends Error {
  override readonly name: string = 'ToolglotError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    // Not enumerable: loggers print an error's own properties, and this one says nothing to a reader.
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** What a caller passed cannot be used; the message says why. A TypeError, as the language throws them. */
export class InvalidInputError extends TypeError {
  override readonly name: string = 'InvalidInputError'
  readonly code = 'invalid_input'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    Object.defineProperty(this, BRAND, { value: true })
  }
}

/** True for errors of this package, whichever copy of it threw them. */
export function isToolglotError(value: unknown): value is ToolglotError {
  return typeof value === 'object' && value !== null && BRAND in value
}
