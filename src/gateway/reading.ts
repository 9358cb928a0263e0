/** What a client sends, read before anybody is asked. */

import { runStepsApart, type Steps } from '../core/steps.ts'
import { getPreset, type PresetName } from '../presets/index.ts'
import { getProtocol } from '../protocols/registry.ts'
import type { GatewayConfig } from './config.ts'
import type { ModelWish } from './directory.ts'
import { GatewayError } from './gateway-error.ts'
import type { HeaderMap } from './http.ts'
import type { RescueWish } from './question.ts'

/** Path and query of a request. A path with two slashes in front is no address of another host. */
export function readTarget(url: string): {
  readonly path: string
  readonly query: URLSearchParams
} {
  const own = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '')
  const hash = own.indexOf('#')
  const target = hash < 0 ? own : own.slice(0, hash)
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark))
  return { path: path === '' ? '/' : path, query }
}

/** A mistake in the question is the client's. */
function readQuestion<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw questionError(error)
  }
}

/** The same for what is read in steps, with a break after each. */
export async function readQuestionApart<T>(
  steps: Steps<T>,
  pause: () => Promise<void>,
): Promise<T> {
  try {
    return await runStepsApart(steps, pause)
  } catch (error) {
    throw questionError(error)
  }
}

function questionError(error: unknown): unknown {
  return error instanceof TypeError ? new GatewayError('invalid_request', error.message) : error
}

// ── what a request wants otherwise ──────────────────────────────────────────────────────────────

const TOOL_MODES = ['auto', 'native', 'text'] as const

export function readWish(headers: HeaderMap): ModelWish {
  const mode = headers['x-toolglot-tool-mode']
  const protocol = headers['x-toolglot-protocol']
  const toolMode = TOOL_MODES.find((one) => one === mode)
  if (mode !== undefined && !toolMode) {
    throw new GatewayError('invalid_request', 'x-toolglot-tool-mode must be auto, native or text')
  }
  if (protocol !== undefined) readQuestion(() => getProtocol(protocol))
  return { toolMode, protocol }
}

export function rescueWish(headers: HeaderMap, { rescue = {} }: GatewayConfig): RescueWish {
  const { enabled = true, ...usual } = rescue
  const wish = headers['x-toolglot-rescue']
  const isOff = wish === 'off'
  if (wish !== undefined && !isOff) {
    throw new GatewayError('invalid_request', 'x-toolglot-rescue must be off, or left out')
  }
  const preset = readPreset(headers['x-toolglot-preset'])
  return { enabled: enabled && !isOff, usual, wished: { preset } }
}

function readPreset(name: string | undefined): PresetName | undefined {
  if (name !== undefined) readQuestion(() => getPreset(name))
  // The cast: any other name was refused.
  return name as PresetName | undefined
}
