/**
 * The gateway for edge runtimes: a module with a `fetch` function, and nothing of Node in it.
 *
 * It is configured by its bindings: `TOOLGLOT_CONFIG_JSON` holds what else would be a configuration
 * file, `TOOLGLOT_API_KEYS` the keys of clients, and the keys of providers are in the variables that
 * they have everywhere, such as `OPENAI_API_KEY`.
 */
import { createGateway, type Gateway } from '../../src/gateway/index.ts'
import { readBindings } from './bindings.ts'

/** Texts count; bindings of another kind, such as stores, are passed over. */
type Bindings = Readonly<Record<string, unknown>>

/** One for all requests of a worker, because it remembers turns and limits. */
let gateway: Gateway | undefined

// biome-ignore lint/style/noDefaultExport: edge runtimes look for it.
export default {
  async fetch(request: Request, bindings: Bindings = {}): Promise<Response> {
    try {
      gateway ??= open(bindings)
      return await gateway.fetch(request)
    } catch (error) {
      // What is wrong is for whoever deployed it.
      console.error(error)
      const message = 'the gateway cannot be started; its log says why'
      return Response.json({ error: { message, type: 'server_error', code: 'internal' } }, FAILED)
    }
  },
}

const FAILED = { status: 500 }

function open(bindings: Bindings): Gateway {
  const env = Object.fromEntries(Object.entries(bindings).filter(isText))
  return createGateway(readBindings(env), { env })
}

function isText(entry: readonly [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string'
}
