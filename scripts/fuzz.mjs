/** `npm run fuzz`: new random inputs, and more of them than `npm test` tries. */
import { build, install, runTool } from './prepare.mjs'

const USAGE = `Usage: npm run fuzz                                 all of the following
       npm run fuzz -- laws [factor] [protocol]     the laws of the protocols on random texts
       npm run fuzz -- leave [factor]               clients that leave the gateway at random moments
       npm run fuzz -- gateway [count] [dialect]    damaged requests and replies through the gateway

  factor    how many times as many inputs as npm test tries (10)
  protocol  the id of one protocol; all by default
  count     requests for each dialect (100000)
  dialect   the id of the provider's dialect; all by default
  --seed    a text: the gateway is tried with the same requests again`

const PARTS = { laws: tryLaws, leave: tryLeaving, gateway: tryGateway }

const [what, ...rest] = process.argv.slice(2)
if (what !== undefined && !Object.hasOwn(PARTS, what)) failUsage()
await install()
let code = 0
for (const part of what === undefined ? Object.values(PARTS) : [PARTS[what]]) {
  code = (await part(rest)) || code
}
process.exitCode = code

function tryLaws([factor = '10', protocol]) {
  // What arrives a character at a time belongs to no protocol.
  const names = protocol ? `^${protocol} L\\d` : '^(?:\\S+ L\\d|a character at a time)'
  return runTests(factor, ['test/protocols', 'test/linear', '-t', names])
}

function tryLeaving([factor = '10']) {
  return runTests(factor, ['test/gateway/leaving-clients'])
}

function runTests(factor, tests) {
  if (!(Number(factor) > 0)) failUsage()
  process.env.TOOLGLOT_FUZZ = factor
  return runTool('vitest', 'vitest', ['run', ...tests, '--testTimeout=3600000'])
}

async function tryGateway(options) {
  await build()
  return runTool('tsx', 'tsx', ['test/fuzz/gateway.ts', ...options])
}

function failUsage() {
  console.error(USAGE)
  process.exit(2)
}
