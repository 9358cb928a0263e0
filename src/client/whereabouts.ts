/** What errors say about a service besides what went wrong: its name, its address, and the options that set them. */
import type { Provider } from '../providers/provider.ts'
import type { Endpoint } from './endpoint.ts'
import { isPrivateHost } from './private-address.ts'
import type { Secrets } from './secrets.ts'

export interface Whereabouts {
  /** The service as the caller names it. */
  readonly provider: string
  /**
   * The service computes on hardware of its operator: a long prompt may take minutes, and a second request
   * would only wait for the first.
   */
  readonly isSelfHosted: boolean
  /** The base URL without its query and without keys. */
  address(): string
  /** An option of the service by the name under which the caller sets it. */
  option(name: string): string
  /** The option and the environment variables that set the address. */
  readonly addressOptions: string
}

export interface WhereaboutsOptions {
  readonly endpoint: Endpoint
  readonly secrets: Secrets
  /** Before the name of each option, such as `providers.ollama.`. */
  readonly optionPrefix: string
}

export function whereaboutsOf(
  { id, selfHosted, baseUrlVariables = [] }: Provider,
  { endpoint: { base }, secrets, optionPrefix }: WhereaboutsOptions,
): Whereabouts {
  const option = (name: string): string => optionPrefix + name
  return {
    provider: id,
    isSelfHosted: selfHosted === true || isPrivateHost(base.hostname),
    // Secrets may be added later.
    address: () => secrets.hide(base.origin + base.pathname.replace(/\/+$/, '')),
    option,
    addressOptions: [option('baseUrl'), ...baseUrlVariables].join(' or '),
  }
}

/** `ollama at http://127.0.0.1:11434` */
export function nameAndAddress({ provider, address }: Whereabouts): string {
  return `${provider} at ${address()}`
}
