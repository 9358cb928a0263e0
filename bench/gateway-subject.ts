/** A gateway in a process of its own: ours, or the least that passes requests on. */
import { Agent, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway } from '../src/gateway/gateway.ts'
import { listen } from '../src/gateway/node.ts'
import { createMetrics } from '../src/gateway/observe/metrics.ts'
import { createUndiciSend } from '../src/gateway/undici-send.ts'

const [, , kind = '', upstreamPort = ''] = process.argv

async function start(): Promise<number> {
  if (kind === 'bare') return startBare()
  const { send: sender } = createUndiciSend()
  const baseUrl = `http://127.0.0.1:${upstreamPort}/v1`
  const providers = {
    bench: { provider: 'openai-compatible', baseUrl, apiKey: 'sk-bench-upstream' },
  }
  const gateway = createGateway({ providers }, { send: sender, observers: [createMetrics()] })
  const { url } = await listen(gateway)
  return Number(new URL(url).port)
}

function startBare(): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request
    const upstream = send(
      { host: '127.0.0.1', port: upstreamPort, method, path, headers, agent },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers)
        // Not `pipeline`, which would take more time than all the rest.
        reply.pipe(response)
      },
    )
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
  })
  return new Promise((resolve) => {
    // A server that listens on TCP has such an address.
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

process.send?.({ port: await start() })
// So that a profile of the process is written.
process.on('SIGINT', () => process.exit(0))
