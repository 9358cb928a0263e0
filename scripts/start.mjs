/** `npm start`: makes the package ready and starts the gateway. `npm start -- <command>` runs any. */
import { join } from 'node:path'
import { build, install, root, runNode } from './prepare.mjs'

const ABOUT = ['--help', '-h', '--version', '-v']

await install()
await build()
const args = process.argv.slice(2)
const [first = '--'] = args.filter((arg) => arg !== '--no-color')
const isOption = first.startsWith('-') && !ABOUT.includes(first)
const command = isOption ? ['serve', ...args] : args
endWithShell()
process.exitCode = await runNode([join(root, 'dist', 'cli', 'main.js'), ...command])

/** The shell between npm and us ends by a signal without passing it on, which would leave us behind. */
function endWithShell() {
  if (process.env.npm_lifecycle_event !== 'start') return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 250)
  timer.unref()
}
