/**
 * `npm run fuzz -- [factor] [protocol]`: the laws of the protocols on new random texts, and, without a protocol,
 * clients of the gateway that leave at new random moments.
 */
import { install, runTool } from './prepare.mjs'

const [factor = '10', protocol = '\\S+'] = process.argv.slice(2)
if (!(Number(factor) > 0)) {
  console.error('Usage: npm run fuzz -- [factor] [protocol]\n')
  console.error('  factor    how many times as many texts as npm test tries (10)')
  console.error('  protocol  the id of one protocol; all by default')
  process.exit(2)
}
await install()
process.env.TOOLGLOT_FUZZ = factor
const files = ['test/protocols', 'test/linear']
// What arrives a character at a time belongs to no protocol.
const names = `^(?:${protocol} L\\d|a character at a time)`
const laws = ['run', ...files, '--testTimeout=3600000', '-t', names]
process.exitCode = await runTool('vitest', 'vitest', laws)
if (process.argv[3] === undefined && !process.exitCode) {
  process.exitCode = await runTool('vitest', 'vitest', ['run', 'test/gateway/leaving-clients'])
}
