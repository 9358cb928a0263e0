/** From a configuration to a server that listens. */
import process from 'node:process'
import { isToolglotError } from '../../core/errors.ts'
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../gateway/config/load.ts'
import { ConfigError } from '../../gateway/config/problem.ts'
import type { Logger } from '../../gateway/observe/log.ts'
import { type GatewayServer, startServer } from '../../gateway/server.ts'
import { UsageError } from '../command.ts'
import { readVersion } from '../version.ts'

/** What the command line wants. */
export type Order = Pick<LoadOptions, 'file' | 'flags'>

export interface Started {
  readonly server: GatewayServer
  readonly loaded: LoadedConfig
  /** How the configuration was loaded, and is to be loaded again. */
  readonly options: LoadOptions
  /** The usual port, when somebody else has it. */
  readonly taken?: number | undefined
}

export function loadOptions({ file, flags }: Order): LoadOptions {
  return { cwd: process.cwd(), file, flags, env: process.env }
}

/** How many ports behind the usual one are tried. */
const MORE_PORTS = 20

/** At the usual port or, when nobody asked for one and it is taken, at the next that is free. */
export async function start(order: Order, openLog: OpenLog): Promise<Started> {
  const options = loadOptions(order)
  const loaded = await loadConfig(options)
  const logger = openLog(loaded)
  const isAsked = loaded.sources['port'] !== undefined
  const first = loaded.config.port
  const last = isAsked ? first : first + MORE_PORTS
  for (let port = first; ; port++) {
    // Loaded again, because an address that leads back to the gateway depends on its port.
    const own = port === first ? options : { ...options, flags: { ...options.flags, port } }
    const found = port === first ? loaded : await loadConfig(own)
    try {
      const server = await startServer(found.config, { ...SETTINGS, logger })
      return { server, loaded: found, options: own, taken: port === first ? undefined : first }
    } catch (error) {
      if (port === last || codeOf(error) !== 'EADDRINUSE') throw explained(error, found, isAsked)
    }
  }
}

type OpenLog = (loaded: LoadedConfig) => Logger

const SETTINGS = { env: process.env, version: readVersion() }

/** What the system says about the address, in words; our own errors say enough. */
function explained(error: unknown, { config }: LoadedConfig, isAsked: boolean): unknown {
  const { host, port } = config
  const place = `port ${port} of ${host}`
  switch (codeOf(error)) {
    case 'EADDRINUSE': {
      const taken = isAsked ? `${place} is taken` : `the ports up to ${port} of ${host} are taken`
      return new UsageError(`${taken}; choose another with --port, or any free one with --port 0`)
    }
    case 'EACCES':
      return new UsageError(`${place} is not for everyone; choose one from 1024 on with --port`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`this machine has no address ${host}; choose another with --host`)
    default:
      return readable(error)
  }
}

/** A mistake in what was configured, as such. */
export function readable(error: unknown): unknown {
  if (error instanceof ConfigError || !isToolglotError(error)) return error
  return new UsageError(error.message)
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
