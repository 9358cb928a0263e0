/**
 * The peer among gateways, installed apart from everything else: as published it needs an older version of
 * a package than others here do, and it brings along more packages than all of Toolglot.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const FOLDER = fileURLToPath(
  new URL('../node_modules/.cache/toolglot-bench/portkey', import.meta.url),
)

/** With a newer server package than the peer was tested with, its streams fail on Node. */
const MANIFEST = {
  private: true,
  dependencies: { '@portkey-ai/gateway': '1.15.2', '@hono/node-server': '1.13.8' },
  overrides: { '@hono/node-server': '1.13.8' },
}

/** The file that starts the peer; undefined when it cannot be installed here. */
export async function installPeer(): Promise<string | undefined> {
  const file = join(FOLDER, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (existsSync(file)) return file
  try {
    await mkdir(FOLDER, { recursive: true })
    await writeFile(join(FOLDER, 'package.json'), JSON.stringify(MANIFEST))
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts']
    await promisify(execFile)('npm', args, { cwd: FOLDER })
    return file
  } catch (error) {
    await rm(FOLDER, { recursive: true, force: true })
    console.error(`Portkey could not be installed: ${String(error).slice(0, 200)}`)
    return undefined
  }
}
