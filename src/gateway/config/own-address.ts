/** Whether an address leads back to the gateway. */
import { isLoopback } from '../../client/endpoint.ts'
import { SERVER_DEFAULTS, type ServerConfig } from './server-config.ts'

/** `address` may be without a scheme, as in `OLLAMA_HOST`. */
export function isOwnAddress(
  address: string,
  { host = SERVER_DEFAULTS.host, port = SERVER_DEFAULTS.port }: ServerConfig,
): boolean {
  const url = urlOf(address)
  if (!url) return false
  const usual = url.protocol === 'https:' ? '443' : '80'
  if ((url.port || usual) !== String(port)) return false
  return url.hostname === host || isThisMachine(url.hostname)
}

/** Undefined when it is no address. */
export function urlOf(address: string): URL | undefined {
  const whole = /^https?:\/\//i.test(address) ? address : `http://${address}`
  return URL.canParse(whole) ? new URL(whole) : undefined
}

/** True also for the addresses that stand for all of this machine's. */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || ['0.0.0.0', '[::]', '::'].includes(hostname)
}
