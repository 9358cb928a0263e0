/** `npm run check`: everything but the tests, one step after another, up to the first that fails. */
import { install, rebuild, runTool } from './prepare.mjs'

const steps = [
  ['types', (options) => runTool('typescript', 'tsc', [], options)],
  [
    'types without Node and DOM',
    (options) => runTool('typescript', 'tsc', ['-p', 'tsconfig.core.json'], options),
  ],
  [
    'types of the playground',
    (options) => runTool('typescript', 'tsc', ['-p', 'playground'], options),
  ],
  ['lint and format', (options) => runTool('@biomejs/biome', 'biome', ['check'], options)],
  ['dead code', (options) => runTool('knip', 'knip', ['--no-progress'], options)],
  ['build', rebuild],
  ['package', (options) => runTool('publint', 'publint', ['--strict'], options)],
  [
    'types of the package',
    (options) =>
      runTool('@arethetypeswrong/cli', 'attw', ['--pack', '.', '--profile', 'esm-only'], options),
  ],
]

await install()
for (const [name, run] of steps) {
  const start = performance.now()
  let output = ''
  const code = await run({
    stdio: ['ignore', 'pipe', 'pipe'],
    onOutput: (text) => {
      output = text
    },
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${name} (${seconds} s)`)
  if (code !== 0) {
    console.log(output.trimEnd())
    process.exit(code)
  }
}
