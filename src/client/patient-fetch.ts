/**
 * The `fetch` of the platform without time limits of its own: Node gives up after 300 s without headers or
 * without a chunk, whatever the caller allows.
 */

/** Where Node keeps what its `fetch` sends requests with. */
const NODE_DISPATCHER = Symbol.for('undici.globalDispatcher.1')

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean
}

/** Looked up with each request: a test, a polyfill or a proxy may come later. */
export const patientFetch: typeof fetch = (input, init) => {
  const dispatcher = patientDispatcher()
  // Only the types of Node know the field, and only its fetch reads it.
  return fetch(input, dispatcher ? ({ ...init, dispatcher } as RequestInit) : init)
}

function patientDispatcher(): Dispatcher | undefined {
  // Node loads its fetch, and with it the dispatcher, when one of the globals is first used.
  if (typeof Headers === 'undefined') return undefined
  const usual: unknown = Reflect.get(globalThis, NODE_DISPATCHER)
  if (!isDispatcher(usual)) return undefined
  return {
    dispatch: (options, handler) =>
      usual.dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  }
}

function isDispatcher(value: unknown): value is Dispatcher {
  return typeof value === 'object' && value !== null && 'dispatch' in value
}
