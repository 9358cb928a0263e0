/** `npm start`: makes the package ready and shows what it does. `npm start -- <command>` runs any. */
import { join } from 'node:path'
import { build, install, root, runNode } from './prepare.mjs'

await install()
await build()
const args = process.argv.slice(2)
const command = args.length === 0 ? ['demo'] : args
process.exitCode = await runNode([join(root, 'dist', 'cli', 'main.js'), ...command])
