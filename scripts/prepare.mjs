/**
 * What has to be there before anything else can run: the dependencies and the built package. Plain
 * JavaScript without dependencies, because it runs in a fresh clone in which nothing is installed.
 */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Installs when the dependencies are missing or older than the lock file. */
export async function install() {
  requireNode()
  const installed = join(root, 'node_modules', '.package-lock.json')
  const lock = join(root, 'package-lock.json')
  const locked = existsSync(lock)
  if (existsSync(installed) && (!locked || modified(installed) >= modified(lock))) return

  console.log('Installing the dependencies …')
  // `npm ci` refuses a lock file that lacks builds of a tool for other platforms, which a registry
  // may not have; `npm install` takes the same versions from the same lock file and does not mind.
  const clean = locked && (await runNpm('ci', { stdio: ['ignore', 'pipe', 'pipe'] })) === 0
  if (!clean) orExit(await runNpm('install'), 'npm install failed; the messages above say why')
  // npm leaves this file alone when it finds nothing to do, and we would ask again each time.
  if (existsSync(installed)) utimesSync(installed, new Date(), new Date())
}

/** Builds when there is no build, or one older than the sources. */
export async function build() {
  const dist = join(root, 'dist')
  if (existsSync(dist) && oldest(dist) >= newest(sources())) return

  console.log('Building …')
  orExit(await rebuild(), 'the build failed; the messages above say why')
}

/** Builds from nothing. A build with errors leaves nothing behind that could pass for a good one. */
export async function rebuild(options) {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
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
  const args = [command, '--no-audit', '--no-fund']
  // Set by npm itself when it started us. Without it, Windows needs a shell to find `npm.cmd`.
  const npm = process.env.npm_execpath
  if (npm?.endsWith('.js')) return runNode([npm, ...args], options)
  return run('npm', args, { ...options, shell: process.platform === 'win32' })
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const { onOutput, ...rest } = options ?? {}
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...rest })
    // The terminal sends Ctrl-C to the child as well: it decides, and we report how it ended.
    const ignore = () => {}
    process.on('SIGINT', ignore)
    const chunks = []
    child.stdout?.on('data', (chunk) => chunks.push(chunk))
    child.stderr?.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      process.off('SIGINT', ignore)
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

function sources() {
  return ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'].map((name) =>
    join(root, name),
  )
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
  return readdirSync(path).map((name) => join(path, name))
}

function modified(path) {
  return statSync(path).mtimeMs
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await install()
  await build()
}
