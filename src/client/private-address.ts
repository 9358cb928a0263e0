/** Hosts that only machines nearby can reach, on which people run servers of their own. */
import { isLoopback } from './endpoint.ts'

/** Private and link-local networks: RFC 1918, RFC 3927, RFC 6598 (VPNs), RFC 4193 and RFC 4291. */
const PRIVATE_NUMBERS =
  /^(?:(?:10(?:\.\d+)|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d+){2}$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i

/** Reserved for local networks: RFC 6762, RFC 8375, and `.internal` as containers use it. */
const PRIVATE_NAMES = /\.(?:local|lan|internal|home\.arpa)$/i

/** True for this machine, its local network, and names without a dot such as those of containers. */
export function isPrivateHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '')
  if (isLoopback(name) || PRIVATE_NUMBERS.test(name) || PRIVATE_NAMES.test(name)) return true
  return !name.includes('.') && !name.includes(':')
}
