/** Looks out for changes of the configuration file. */
import { watch } from 'node:fs'
import { dirname } from 'node:path'
import { checkObject, checkText } from '../../core/caller-input.ts'
import { contentOf } from './file-layer.ts'
import { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts'

export interface WatchOptions extends LoadOptions {
  /** The whole path, as `loadConfig` has it. */
  readonly file: string
  /** What the file said when it was loaded, so that a change since then counts. Default: what it says now. */
  readonly content?: string | undefined
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
  /** How long the file must have been left alone. Default 100 ms. */
  readonly quietMs?: number | undefined
}

export interface ConfigWatcher {
  /** There is a new configuration. */
  changed(loaded: LoadedConfig): void
  /** The file changed and cannot be used, so the old configuration is to be kept. */
  failed(error: unknown): void
}

export interface ConfigWatch {
  /** Reads the file now, changed or not; for a signal from outside. */
  reload(): Promise<void>
  close(): void
}

const QUIET_MS = 100

/** Nobody is told anything after the end, not even of a file that is being read. */
export function watchConfig(options: WatchOptions, watcher: ConfigWatcher): ConfigWatch {
  checkObject('the options of watchConfig', options, '{ file, cwd, env }')
  checkText('file', options.file, 'the path of a file, as loadConfig gives it')
  checkObject('a watcher', watcher, '{ changed, failed }')
  const { file, content, signal, quietMs = QUIET_MS } = options
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  let known = content === undefined ? contentOf(file) : Promise.resolve<typeof content>(content)
  let last: Promise<void> = Promise.resolve()

  async function load(): Promise<void> {
    try {
      const loaded = await loadConfig(options)
      if (!isOver) watcher.changed(loaded)
    } catch (error) {
      if (!isOver) watcher.failed(error)
    }
  }

  async function lookAgain(): Promise<void> {
    const before = await known
    known = contentOf(file)
    if (!isOver && (await known) !== before) await load()
  }

  function soon(): void {
    clearTimeout(timer)
    timer = setTimeout(() => enqueue(lookAgain), quietMs)
    // Nobody stays alive for it.
    timer.unref()
  }

  function enqueue(work: () => Promise<void>): Promise<void> {
    last = last.then(work)
    return last
  }

  // The folder, because editors put a new file in the place of the old one.
  const folder = watch(dirname(file), { persistent: false }, soon)
  folder.on('error', (error) => watcher.failed(error))

  function close(): void {
    isOver = true
    clearTimeout(timer)
    folder.close()
    signal?.removeEventListener('abort', close)
  }

  // Between the loading and the watch nobody looked.
  if (content !== undefined) soon()

  if (signal?.aborted) close()
  else signal?.addEventListener('abort', close, { once: true })

  return {
    reload: () =>
      enqueue(async () => {
        known = contentOf(file)
        await known
        if (!isOver) await load()
      }),
    close,
  }
}
