/** The built playground behind a server of its own, with the policy it must live with. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../dist/playground', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Nothing but files of our own: no inline code or style, no other host. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"

export interface ServedPage {
  readonly url: string
  close(): Promise<void>
}

export async function serveBuiltPage(): Promise<ServedPage> {
  if (!existsSync(join(FOLDER, 'index.html'))) {
    throw new Error('the playground is not built: run "node scripts/prepare.mjs" first')
  }
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname)
    const file = path === '/' ? '/index.html' : path
    try {
      const body = await readFile(join(FOLDER, file))
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
      response.setHeader('content-security-policy', POLICY)
      response.end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // listens on a port
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
