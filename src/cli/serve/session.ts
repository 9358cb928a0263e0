/** A gateway from its start to its end: what it says, and what it does when it is told something. */
import process from 'node:process'
import { isatty } from 'node:tty'
import { type LoadedConfig, loadConfig } from '../../gateway/config/load.ts'
import { ConfigError } from '../../gateway/config/problem.ts'
import { watchConfig } from '../../gateway/config/watch.ts'
import { createGateway } from '../../gateway/gateway.ts'
import { createLogger, type Logger } from '../../gateway/observe/log.ts'
import type { GatewayServer } from '../../gateway/server.ts'
import { EXIT_OK, EXIT_USAGE } from '../command.ts'
import { createTerminal, printable, type Terminal } from '../terminal.ts'
import { readVersion } from '../version.ts'
import { banner } from './banner.ts'
import { effectiveConfig } from './effective-config.ts'
import { reloader } from './reload.ts'
import { stopSignals } from './signals.ts'
import { loadOptions, type Order, readable, type Started, start } from './start.ts'

/**
 * Runs until a signal ends it. The log goes to standard output, what is meant for people to standard
 * error, so that neither is in the way of the other when they are kept.
 */
export async function serve(order: Order, noColor: boolean): Promise<number> {
  const terminal = createTerminal(process.stderr, process.env, noColor)
  return orProblems(async () => {
    await untilStopped(await start(order, openLog), terminal)
    return EXIT_OK
  })
}

/** Only looks at the configuration: what it comes to, and who said what. */
export async function check(order: Order, { print }: Terminal): Promise<number> {
  return orProblems(async () => {
    const loaded = await loadConfig(loadOptions(order))
    // Finds what only shows when everything is put together; nobody is asked.
    createGateway(loaded.config, { env: process.env })
    print(JSON.stringify(effectiveConfig(loaded.config), null, 2))
    for (const line of [...sourceLines(loaded), ...loaded.warnings]) tell(line)
    return EXIT_OK
  })
}

/** What is wrong with a configuration is listed, each with its place. */
export async function orProblems(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw readable(error)
    for (const line of error.message.split('\n')) tell(line)
    return EXIT_USAGE
  }
}

function tell(line: string): void {
  process.stderr.write(`toolglot: ${printable(line)}\n`)
}

function sourceLines({ sources }: LoadedConfig): string[] {
  return Object.entries(sources).map(([name, source]) => `${name} is from ${source}`)
}

function openLog({ config: { log } }: LoadedConfig): Logger {
  return createLogger({ ...log, pretty: log.pretty ?? process.stdout.isTTY === true })
}

function greeting({ server, loaded, taken }: Started, terminal: Terminal): string {
  const { config, file } = loaded
  const { url, found } = server
  const warnings = [...loaded.warnings, ...found.warnings]
  const models = server.models()
  return banner(
    { version: readVersion(), url, config, file, found, models, taken, warnings },
    terminal,
  )
}

/** Reloads and, in the end, stops as it is told. */
async function untilStopped(started: Started, terminal: Terminal): Promise<void> {
  const { server, loaded, options } = started
  const { file, content } = loaded
  const reload = reloader(server, loaded)
  const watch = file === undefined ? undefined : watchConfig({ ...options, file, content }, reload)
  const again = (): Promise<void> =>
    watch ? watch.reload() : loadConfig(options).then(reload.changed, reload.failed)
  const signals = stopSignals({ onHangUp: () => void again(), isLeft: terminalIsLeft() })
  // Whoever reads this may send a signal at once.
  terminal.print(greeting(started, terminal))
  await signals.first
  terminal.print(farewell(server))
  watch?.close()
  await server.stop()
  signals.release()
}

/** Whether the window was closed in which the gateway was started. */
function terminalIsLeft(): () => boolean {
  const hadTerminal = isatty(0)
  return () => hadTerminal && !isatty(0)
}

function farewell({ gateway }: GatewayServer): string {
  const count = gateway.pending()
  if (count === 0) return 'Stopping: no requests are under way.'
  const requests = count === 1 ? '1 request under way is' : `${count} requests under way are`
  return `Stopping: ${requests} finished first. Ctrl-C again ends at once.`
}
