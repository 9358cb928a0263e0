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
  const folder = await mkdtemp(join(tmpdir(), 'toolglot-bench-'))
  try {
    const file = join(folder, 'subject.mjs')
    await build({
      input: fileURLToPath(new URL(path, import.meta.url)),
      output: { file, format: 'esm' },
      platform: 'node',
      logLevel: 'silent',
    })
    return (await import(pathToFileURL(file).href)) as Module
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
