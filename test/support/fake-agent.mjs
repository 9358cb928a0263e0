/** In place of a coding agent: shows what it was given, and asks the gateway for its models. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const { env } = process
const args = process.argv.slice(2)

if (env.FAKE_AGENT_TELLS) await waitFor(env.FAKE_AGENT_TELLS)
if (env.FAKE_AGENT_EXITS) process.exit(Number(env.FAKE_AGENT_EXITS))

const files = Object.fromEntries([...args, ...Object.values(env)].flatMap(filesAt))
const everything = JSON.stringify({ args, env, files })
process.stdout.write(JSON.stringify({ args, env, files, models: await askModels() }))

/** Files of the folder that `launch` has made. */
function filesAt(path) {
  if (!/toolglot-launch-|\/tmp\.\w+/.test(path) || !existsSync(path) || path === env.TMPDIR)
    return []
  if (statSync(path).isFile()) return [[path, readFileSync(path, 'utf8')]]
  return readdirSync(path).flatMap((name) => filesAt(join(path, name)))
}

async function askModels() {
  const [url] = /https?:\/\/127\.0\.0\.1:\d+/.exec(everything) ?? []
  if (url === undefined || env.FAKE_AGENT_IS_ALONE) return undefined
  const [key = env.TOOLGLOT_KEY] = /toolglot-[\w-]{32}/.exec(everything) ?? []
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  if (env.FAKE_AGENT_ASKS) await ask(url, headers)
  const response = await fetch(`${url}/v1/models`, { headers })
  const { data = [] } = await response.json()
  return { status: response.status, ids: data.map(({ id }) => id) }
}

function ask(url, headers) {
  const body = { model: 'demo/hermes', messages: [{ role: 'user', content: 'Hello' }] }
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** The launching process is sent the signal, and has to pass it on. */
async function waitFor(signal) {
  const got = new Promise((resolve) => process.once(signal, resolve))
  const alive = setInterval(() => {}, 1000)
  process.kill(process.ppid, signal)
  await got
  clearInterval(alive)
  console.log(`got ${signal}`)
  process.exit(9)
}
