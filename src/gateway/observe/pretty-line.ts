/** A line of the log as people like to read it. */

type Fields = Readonly<Record<string, unknown>>

/** What has a place of its own in the line, or says little on a terminal. */
const PLACED: ReadonlySet<string> = new Set([
  'level',
  'time',
  'msg',
  'id',
  'method',
  'path',
  'endpoint',
  'model',
  'provider',
  'upstreamModel',
  'status',
  'durationMs',
  'bytesIn',
  'bytesOut',
])

/** From a line of JSON; any other text as it is. */
export function prettyLine(line: string): string {
  const fields = fieldsOf(line)
  if (!fields) return line
  const { time, level, msg, status } = fields
  const clock = typeof time === 'string' ? time.slice(11, 23) : ''
  const what = status === undefined ? String(msg ?? '') : requestText(fields)
  const rest = Object.entries(fields)
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => `${name}=${valueText(value)}`)
  return `${[clock, String(level ?? '').padEnd(5), what, ...rest].join(' ')}\n`
}

function requestText(fields: Fields): string {
  const { method, path, model, provider, upstreamModel, status, durationMs } = fields
  const names = provider === undefined ? model : `${model} → ${provider}/${upstreamModel}`
  const took = typeof durationMs === 'number' ? `${Math.round(durationMs)}ms` : undefined
  return [status, method, path, names, took].filter((part) => part !== undefined).join(' ')
}

function valueText(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)
}

function fieldsOf(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    // The cast: any object has names and values.
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined
  } catch {
    return undefined
  }
}
