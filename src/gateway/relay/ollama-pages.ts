/** What Ollama servers say about themselves: which models are loaded, and their version. */

import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { mayUse } from '../access.ts'
import { readAll } from '../byte-source.ts'
import type { Directory } from '../directory.ts'
import type { GatewayReply } from '../http.ts'
import type { ConfiguredProvider } from '../open-providers.ts'
import { json, type PageVisit } from '../pages/page.ts'
import { askServer, serversOf } from './management.ts'

const MAX_BYTES = 1024 * 1024
/** Servers on one's own machine answer at once; nobody should wait for one that is switched off. */
const PATIENCE_MS = 2000

/** The loaded models of all servers. One that does not answer has none loaded. */
export async function loadedPage({ directory, key, signal }: PageVisit): Promise<GatewayReply> {
  const servers = serversOf(directory, 'ollama-ps')
  const replies = await Promise.all(
    servers.map(async (server) => ({ server, said: await ask(server, 'ollama-ps', signal) })),
  )
  const models = replies.flatMap(({ server, said }) => {
    return modelsIn(said).filter(({ name }) => {
      return mayUse(key, String(name)) || mayUse(key, `${server.name}/${String(name)}`)
    })
  })
  return json({ models })
}

/** The version of the first server; undefined when there is none, or it does not answer. */
export async function serverVersion(
  directory: Directory,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const [server] = serversOf(directory, 'ollama-version')
  return server && (await ask(server, 'ollama-version', signal))?.['version']
}

function modelsIn(said: JsonObject | undefined): readonly JsonObject[] {
  const models = said?.['models']
  return Array.isArray(models) ? models.filter(isJsonObject) : []
}

async function ask(
  server: ConfiguredProvider,
  api: 'ollama-ps' | 'ollama-version',
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const path = server.connection.provider.apis?.[api] ?? ''
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  try {
    const { status, body } = await askServer(server, { method: 'GET', path, signal: patience })
    const said = parseStrict(new TextDecoder().decode(await readAll(body, MAX_BYTES)))
    return status === 200 && isJsonObject(said) ? said : undefined
  } catch {
    return undefined
  }
}
