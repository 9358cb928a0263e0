/** A gateway that serves the playground and has nothing but demo models. */
import { type ServerConfig, withDefaults } from '../../src/gateway/config/server-config.ts'
import { startServer } from '../../src/gateway/server.ts'
import type { Server } from './playground-browser.ts'

export async function serveDemoGateway(config: ServerConfig = {}): Promise<Server> {
  const server = await startServer(
    withDefaults({
      port: 0,
      discover: false,
      log: { level: 'silent' },
      shutdownMs: 1_000,
      ...config,
    }),
    { env: {}, version: '0.0.0' },
  )
  return { url: `${server.url}/`, close: () => server.stop() }
}
