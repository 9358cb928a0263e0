/** `npm test`: makes the package ready, runs the tests, and closes with a count. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, install, runTool } from './prepare.mjs'
import { installPrograms } from './programs.mjs'

await install()
await build()
installPrograms()
const folder = mkdtempSync(join(tmpdir(), 'toolglot-test-'))
try {
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  const args = ['run', ...reporters, ...process.argv.slice(2)]
  const code = await runTool('vitest', 'vitest', args)
  const failed = existsSync(file) ? close(JSON.parse(readFileSync(file, 'utf8')), code) : 0
  process.exitCode = code === 0 && failed > 0 ? 1 : code
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Prints the counts and returns how many failed. */
function close(report, code) {
  // A file that cannot be loaded has no tests, and an error outside of any test belongs to none;
  // neither may go unseen.
  const broken = report.testResults.filter(
    (result) =>
      result.status === 'failed' &&
      !result.assertionResults.some((test) => test.status === 'failed'),
  )
  const known = report.numFailedTests + broken.length
  const failed = known === 0 && code !== 0 ? 1 : known
  for (const { name } of broken) console.log(`could not be run: ${name}`)
  if (failed > known) console.log('an error outside of the tests, shown above')
  const skipped = report.numPendingTests + report.numTodoTests
  if (skipped > 0) console.log(`${skipped} skipped`)
  console.log(`${report.numPassedTests} passed, ${failed} failed`)
  return failed
}
