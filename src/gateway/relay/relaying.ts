/** From a request to an API besides chat to its answer: through those of the chain of its model that serve the API. */
import { monotonicNow } from '../../client/clock.ts'
import { createCircuit, USUAL_COOLDOWNS } from '../../client/fallback/circuit.ts'
import type { SwitchEvent } from '../../client/fallback/options.ts'
import { type Ask, createRoute, type Send } from '../../client/fallback/route.ts'
import { remembering } from '../../core/remember.ts'
import type { ApiId } from '../../providers/apis.ts'
import { type Answered, routeOptions, settle } from '../answering.ts'
import type { Chain, Directory } from '../directory.ts'
import { GatewayError } from '../gateway-error.ts'
import type { Passed } from '../pass-lane.ts'
import type { Target } from '../target.ts'
import { type RelayRequest, relayTo } from './relay-lane.ts'
import { notServed, type ServedApi, servedAt, servedBy, targetsOf } from './served-api.ts'

/** For each chain, the routes for the APIs that were asked for. */
const routesOf = remembering((_: Chain) => new Map<ApiId, Ask | undefined>())

/** Undefined when nobody in the chain serves the API. */
function routeFor(chain: Chain, api: ApiId): Ask | undefined {
  const routes = routesOf(chain)
  if (!routes.has(api)) routes.set(api, openRoute(chain, api))
  return routes.get(api)
}

function openRoute(chain: Chain, api: ApiId): Ask | undefined {
  const { cooldownMs = USUAL_COOLDOWNS.cooldownMs } = chain.settings
  const { maxCooldownMs = USUAL_COOLDOWNS.maxCooldownMs } = chain.settings
  const members = chain.members
    .filter(({ client }) => servedAt(chain.targetOf(client), api))
    // A model that fails at one API, because it is none for it, may do well at another.
    .map((member) => ({
      ...member,
      circuit: createCircuit({ cooldownMs, maxCooldownMs, now: monotonicNow }),
    }))
  if (members.length === 0) return undefined
  return createRoute(members, { ...routeOptions(chain.settings), sticky: false })
}

interface Sent {
  readonly passed: Passed
  readonly target: Target
  readonly lane: 'pass' | 'translate'
}

/** Throws a ProviderError when nobody answers, and a GatewayError when nobody can. */
export async function relay(request: RelayRequest, chain: Chain): Promise<Answered> {
  const { endpoint, place, signal, report, watch, asked } = request
  const { api } = endpoint
  const route = routeFor(chain, api)
  if (!route) throw notServed(place.path, asked.model, chain)
  report.counted = endpoint.counted
  const onSwitch = ({ from, error }: SwitchEvent): void => {
    const target = chain.targetOf(from)
    report.fallbacks++
    watch.switched({ ...named(target), ...laneOf(servedAt(target, api), api) }, error)
  }
  const send: Send<Sent> = async (client, _, { signal: given = signal }) => {
    const target = chain.targetOf(client)
    const served = servedAt(target, api)
    if (!served) throw notServed(place.path, asked.model, chain)
    report.target = target
    const passed = await relayTo(request, target, served, given)
    return { passed, target, lane: laneOf(served, api).lane }
  }
  const { value, visit, leave } = await route({ messages: [] }, { signal, onSwitch }, send)
  settle(value.passed, visit, leave)
  return { target: value.target, lane: value.lane, ...value.passed.answer }
}

function named({ name, model }: Target): { readonly provider: string; readonly model: string } {
  return { provider: name, model }
}

function laneOf(
  served: ServedApi | undefined,
  api: ApiId,
): Pick<Sent, 'lane'> & { dialect: string } {
  return {
    dialect: served?.api ?? api,
    lane: served?.translation ? 'translate' : 'pass',
  }
}

/** True when all who have the model serve the API as it is: only then does chat lose nobody by not being asked. */
export function isServedByAll(chain: Chain, api: ApiId): boolean {
  return targetsOf(chain).every((target) => isOwn(servedAt(target, api)))
}

export function isServedBySome(chain: Chain, api: ApiId): boolean {
  return routeFor(chain, api) !== undefined
}

/** The model for requests that name none: of the first provider that serves the API itself. */
export function usualModel(directory: Directory, api: ApiId, path: string): string {
  const found = directory
    .providers()
    .find(({ connection }) => isOwn(servedBy(connection.provider, api)))
  if (!found) throw new GatewayError('not_supported', `no provider serves ${path}`)
  const [first = 'default'] = [...(found.config.models ?? []), ...(found.catalogue?.names() ?? [])]
  return `${found.name}/${first}`
}

function isOwn(served: ServedApi | undefined): boolean {
  return served !== undefined && served.translation === undefined
}
