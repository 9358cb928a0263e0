/** A new configuration for a server that runs. One that cannot be used changes nothing. */
import { thrownMessage } from '../../core/thrown-message.ts'
import type { LoadedConfig } from '../../gateway/config/load.ts'
import { ConfigError } from '../../gateway/config/problem.ts'
import type { ResolvedConfig } from '../../gateway/config/server-config.ts'
import type { ConfigWatcher } from '../../gateway/config/watch.ts'
import type { GatewayServer } from '../../gateway/server.ts'

/** They belong to what was opened at the start. */
const FROM_THE_START = [
  'host',
  'port',
  'tls',
  'redisUrl',
  'stateSecret',
  'turns',
  'log',
  'traffic',
  'playground',
  'metrics',
  'otel',
] as const satisfies readonly (keyof ResolvedConfig)[]

type Reloadable = Pick<GatewayServer, 'logger' | 'models' | 'reload'>

export function reloader(server: Reloadable, first: LoadedConfig): ConfigWatcher {
  const { logger } = server

  function failed(error: unknown): void {
    const problems = error instanceof ConfigError ? error.message.split('\n') : [wordsOf(error)]
    logger.error({ problems }, 'the new configuration cannot be used, the old one stays')
  }

  async function take({ config, warnings }: LoadedConfig): Promise<void> {
    await server.reload(config)
    const later = FROM_THE_START.filter((name) => !isSame(config[name], first.config[name]))
    logger.info(
      {
        models: server.models().length,
        ...(warnings.length > 0 && { warnings }),
        ...(later.length > 0 && { fromNextStart: later }),
      },
      'the configuration was read again',
    )
  }

  return { changed: (loaded) => void take(loaded).catch(failed), failed }
}

function wordsOf(error: unknown): string {
  return thrownMessage(error)
}

/** Plain data. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
