/**
 * `npm run fuzz -- gateway`: random and damaged requests and replies, one dialect of providers after another.
 *
 * The gateway must not end, answer with the error `internal`, leave a request under way, block its event
 * loop or hold more and more memory.
 */
import { parseArgs } from 'node:util'
import { SERVICES } from '../support/gateway-services.ts'
import { type AttackReport, attackGateway } from './attack.ts'

/** The bar for one piece of work of the event loop. */
const MAX_BLOCKED_MS = 200
/** Everything that the gateway keeps is bounded: turns by 64 MiB, the rest by less. */
const MAX_GROWTH_BYTES = 100 * 1024 * 1024

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: String(Date.now() % 1_000_000) } },
})
const [count = '100000', only] = positionals
const dialects = SERVICES.filter((id) => only === undefined || id === only)
if (!(Number(count) > 0) || dialects.length === 0) {
  console.error(`Usage: npm run fuzz -- gateway [count] [dialect] [--seed <text>]\n`)
  console.error(`  count    requests for each dialect (100000)`)
  console.error(`  dialect  one of ${SERVICES.join(', ')}; all by default`)
  process.exit(2)
}
console.log(`seed ${values.seed}`)
let failures = 0
for (const dialect of dialects) {
  const report = await attackGateway({ dialect, requests: Number(count), seed: values.seed })
  const problems = [...report.problems, ...costs(report)]
  failures += problems.length
  console.log(lineOf(report))
  for (const problem of problems.slice(0, 10)) console.log(`    ${problem}`)
}
console.log(failures === 0 ? 'no problems' : `${failures} problems`)
process.exitCode = failures === 0 ? 0 : 1

function costs({ blockedMs, growthBytes }: AttackReport): string[] {
  return [
    ...(blockedMs > MAX_BLOCKED_MS ? [`the event loop was blocked for ${blockedMs} ms`] : []),
    ...(growthBytes > MAX_GROWTH_BYTES ? [`memory grew by ${growthBytes} bytes`] : []),
  ]
}

function lineOf({
  dialect,
  requests,
  seconds,
  blockedMs,
  growthBytes,
  statuses,
}: AttackReport): string {
  const answers = Object.entries(statuses)
    .map(([status, times]) => `${status} ${times}`)
    .join(', ')
  const growth = (growthBytes / 1024 / 1024).toFixed(1)
  return `${dialect}: ${requests} requests in ${seconds.toFixed(0)} s, blocked ${blockedMs.toFixed(0)} ms at most, memory ${growth} MiB more; ${answers}`
}
