/** A gateway on a free port of the loopback interface, for clients as people use them. */
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import { listen } from '../../src/gateway/node.ts'
import { createUndiciSend } from '../../src/gateway/undici-send.ts'

export interface RunningGateway {
  /** Without a slash at the end. */
  readonly url: string
  readonly gateway: Gateway
  /** Ends what is under way as well. */
  close(): Promise<void>
}

/** Without options that say otherwise it knows nothing but the demo models. */
export async function startGateway(
  config: GatewayConfig = {},
  options: GatewayOptions = {},
): Promise<RunningGateway> {
  const upstream = createUndiciSend()
  // Keys of whoever runs the tests must not lead anywhere.
  const gateway = createGateway(config, { send: upstream.send, env: {}, ...options })
  const { url, shutdown } = await listen(gateway, { limits: config.limits })
  return {
    url,
    gateway,
    async close() {
      await shutdown(0)
      await gateway.close()
      await upstream.close()
    },
  }
}
