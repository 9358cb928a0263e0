/**
 * What is measured: the sources bundled to plain JavaScript, as a user's bundler does it. Run
 * through `tsx` they would be slower than what is published, for its transform (`keepNames`) adds a
 * call to every function that is created while the program runs.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'rolldown'

/** A source file as a module of its own: each question gets code that no other has warmed. */
export async function load<Module>(path: string): Promise<Module> {
  const bundled = await bundle(path)
  try {
    return (await import(pathToFileURL(bundled.file).href)) as Module
  } finally {
    await bundled.remove()
  }
}

export interface Bundle {
  readonly file: string
  remove(): Promise<void>
}

export async function bundle(path: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), 'toolglot-bench-'))
  const file = join(folder, 'subject.mjs')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await build({
      input: fileURLToPath(new URL(path, import.meta.url)),
      output: { file, format: 'esm', codeSplitting: false },
      external: ['node-sqlite3-wasm'],
      platform: 'node',
      // As in a browser: what packages offer to `require` cannot always be bundled.
      resolve: { mainFields: ['module', 'main'] },
      logLevel: 'silent',
    })
    return { file, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
