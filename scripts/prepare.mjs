/**
 * What has to be there before anything else can run: the dependencies, the built package and the built
 * playground. Plain JavaScript without dependencies, because it runs in a fresh clone in which nothing
 * is installed.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Installs when the dependencies are missing or older than the lock file. */
export async function install() {
  requireNode()
  const installed = join(root, 'node_modules', '.package-lock.json')
  const lock = join(root, 'package-lock.json')
  const locked = existsSync(lock)
  if (existsSync(installed) && (!locked || modified(installed) >= modified(lock))) return

  console.error('Installing the dependencies …')
  // `npm ci` refuses a lock file that lacks builds of a tool for other platforms, which a registry
  // may not have; `npm install` takes the same versions from the same lock file and does not mind. It
  // must not write what it missed into that file: a clone that was only built has no changes.
  const clean = locked && (await runNpm('ci', { stdio: ['ignore', 'pipe', 'pipe'] })) === 0
  const args = locked ? ['install', '--no-save'] : ['install']
  if (!clean) orExit(await runNpm(args), 'npm install failed; the messages above say why')
  // npm leaves this file alone when it finds nothing to do, and we would ask again each time.
  if (existsSync(installed)) utimesSync(installed, new Date(), new Date())
}

/** Builds what is not built, or was built from older sources. */
export async function build() {
  const code = newest(within(['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json']))
  if (!isBuilt(libraryParts(), code)) {
    console.error('Building …')
    orExit(await rebuild(), 'the build failed; the messages above say why')
  }
  // The page runs the library itself.
  const page = Math.max(code, newest(within(['playground'])))
  if (!isBuilt(within(['dist/playground', 'dist/playground/index.html']), page)) {
    console.error('Building the playground …')
    const args = ['build', 'playground', '--logLevel', 'error']
    orExit(await runTool('vite', 'vite', args), 'the playground could not be built, see above')
  }
}

/** Builds the library from nothing. A build with errors leaves nothing that could pass for a good one. */
export async function rebuild(options) {
  for (const part of libraryParts()) rmSync(part, { recursive: true, force: true })
  return runTool('typescript', 'tsc', ['-p', 'tsconfig.build.json', '--noEmitOnError'], options)
}

/** Runs a program of an installed package; resolves to its exit code. */
export function runTool(packageName, program, args, options) {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = typeof bin === 'string' ? bin : bin[program]
  return runNode([join(folder, file), ...args], options)
}

/** Runs a Node script; resolves to its exit code. */
export function runNode(args, options) {
  return run(process.execPath, args, options)
}

function runNpm(command, options) {
  const args = [command, '--no-audit', '--no-fund'].flat()
  // Set by npm itself when it started us. Without it, Windows needs a shell to find `npm.cmd`.
  const npm = process.env.npm_execpath
  if (npm?.endsWith('.js')) return runNode([npm, ...args], options)
  return run('npm', args, { ...options, shell: process.platform === 'win32' })
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const { onOutput, ...rest } = options ?? {}
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...rest })
    // The terminal sends Ctrl-C to the child as well: it decides, and we report how it ended. What
    // was sent to us alone is passed on.
    const handlers = {
      SIGINT: process.stdin.isTTY ? () => {} : () => child.kill('SIGINT'),
      SIGTERM: () => child.kill('SIGTERM'),
      SIGHUP: () => child.kill('SIGHUP'),
    }
    for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler)
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      for (const [name, handler] of Object.entries(handlers)) process.off(name, handler)
      onOutput?.(Buffer.concat(chunks).toString())
      resolve(code ?? 128 + (constants.signals[signal] ?? 0))
    })
  })
}

function orExit(code, message) {
  if (code === 0) return
  console.error(message)
  process.exit(code)
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Toolglot needs Node 20.19 or newer; this is ${process.versions.node}.`)
  process.exit(1)
}

function within(names) {
  return names.map((name) => join(root, name))
}

/** Built by others, beside the library. */
const OTHER_PARTS = ['playground', 'worker']

function libraryParts() {
  const dist = join(root, 'dist')
  if (!existsSync(dist)) return []
  return entries(dist).filter((path) => !OTHER_PARTS.includes(basename(path)))
}

function isBuilt(parts, time) {
  return parts.length > 0 && parts.every((part) => existsSync(part) && oldest(part) >= time)
}

// A folder counts too: its time changes when a file in it goes away.
function newest(paths) {
  return Math.max(...paths.map((path) => Math.max(modified(path), newest(entries(path)))))
}

function oldest(path) {
  const inside = entries(path)
  return inside.length === 0 ? modified(path) : Math.min(...inside.map(oldest))
}

function entries(path) {
  if (!statSync(path).isDirectory()) return []
  const names = readdirSync(path).filter((name) => name !== 'node_modules')
  return names.map((name) => join(path, name))
}

function modified(path) {
  return statSync(path).mtimeMs
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await install()
  await build()
  if (process.argv.includes('--worker')) {
    const args = ['-c', join('deploy', 'worker', 'rolldown.config.mjs')]
    // Standard output belongs to whoever packs.
    const options = { stdio: ['ignore', 'ignore', 'inherit'] }
    orExit(await runTool('rolldown', 'rolldown', args, options), 'the worker could not be built')
  }
}
