/** `npm run conformance`: see `conformance/command.ts`. */
import { conformance } from '../conformance/command.ts'

// Whoever reads the output may have read enough (`| head`): that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

process.exitCode = conformance(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  warn: (text) => void process.stderr.write(`${text}\n`),
  progress: process.stderr.isTTY
    ? (line) => void process.stderr.write(`\r\u001b[K${line}`)
    : undefined,
})
