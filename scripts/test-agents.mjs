/** `npm run test:agents`: real coding agents through the gateway, each in a network of its own. */
import { build, install, runTool } from './prepare.mjs'

await install()
// Whoever only asks what there is need not wait for a build.
if (!process.argv.some((arg) => ['--help', '-h', '--list'].includes(arg))) await build()
process.exitCode = await runTool('tsx', 'tsx', ['test/agents/main.ts', ...process.argv.slice(2)])
