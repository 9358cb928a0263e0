/** `npm run build:worker`: the worker as one file. */
import { fileURLToPath } from 'node:url'

const file = (path) => fileURLToPath(new URL(path, import.meta.url))

// biome-ignore lint/style/noDefaultExport: Rolldown reads the default export of its configuration.
export default {
  input: file('worker.ts'),
  // Node's own modules are missing where it runs, so that using one must fail here.
  platform: 'browser',
  output: { file: file('../../dist/worker/worker.js'), format: 'esm', minify: true },
}
