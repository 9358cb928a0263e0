/** The gateway that serves the page. */
import { signal } from '@preact/signals'

export interface GatewaySettings {
  readonly version: string
  /** Requests are recorded, and can be shown. */
  readonly traffic: boolean
  readonly needsKey: boolean
}

/** Undefined until it is known; `absent` when the page is served by something else. */
export const settings = signal<GatewaySettings | 'absent'>()

const STORED = 'toolglot-key'

/** Kept for this window only, and never part of a link. */
export const key = signal(sessionStorage.getItem(STORED) ?? '')

export function setKey(text: string): void {
  key.value = text
  sessionStorage.setItem(STORED, text)
}

/** True when nothing but a refusal is to be had: there are keys, and none was entered. */
export function isKeyMissing(): boolean {
  const known = settings.value
  return typeof known === 'object' && known.needsKey && key.value === ''
}

/** What the gateway says about a request that it refuses. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError' as const
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Asks the gateway, with the key; rejects with a {@link RefusedError} unless it agrees. */
export async function askGateway(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (key.peek() !== '') headers.set('authorization', `Bearer ${key.peek()}`)
  const response = await fetch(path, { ...init, headers })
  if (response.ok) return response
  throw new RefusedError(response.status, refusal(response, await response.text()))
}

function refusal({ status, statusText }: Response, body: string): string {
  try {
    const { error } = JSON.parse(body)
    const message = typeof error === 'string' ? error : error?.message
    if (typeof message === 'string') return message
  } catch {
    // Something before the gateway answered.
  }
  return `The gateway answered ${status} ${statusText}`.trim()
}

export async function loadSettings(): Promise<void> {
  if (settings.peek() !== undefined) return
  try {
    const response = await askGateway('playground/settings')
    settings.value = await response.json()
  } catch {
    settings.value = 'absent'
  }
}

export async function loadModels(): Promise<string[]> {
  const response = await askGateway('v1/models?demo=few')
  const { data }: { data: { id: string }[] } = await response.json()
  return data.map(({ id }) => id)
}

/** An error for people. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'The gateway cannot be reached'
  return error instanceof Error ? error.message : String(error)
}
