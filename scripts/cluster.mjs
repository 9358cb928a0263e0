/** `npm run cluster -- [turns]`: two gateways, Redis and load balancers, with more of everything than the tests. */
import { install, runTool } from './prepare.mjs'
import { installPrograms } from './programs.mjs'

const [turns = '10000'] = process.argv.slice(2).filter((word) => word !== '--turns')
if (!(Number(turns) > 0)) {
  console.error('Usage: npm run cluster -- [turns]\n')
  console.error('  turns  how many turns go on at another gateway (10000)')
  process.exit(2)
}
await install()
installPrograms()
process.env.TOOLGLOT_CLUSTER_TURNS = turns
const tests = ['run', 'test/gateway/cluster.test.ts', '--disable-console-intercept']
process.exitCode = await runTool('vitest', 'vitest', tests)
