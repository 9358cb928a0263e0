/** What the bytes of one frame say. */

export interface RawFrame {
  readonly event: string | undefined
  /** Empty when the frame has none, such as a comment. */
  readonly data: string
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function readFrame(bytes: Uint8Array, isSse: boolean): RawFrame {
  const text = decoder.decode(bytes)
  return isSse ? sseFrame(text) : { event: undefined, data: text.trim() }
}

const DATA = 'data: '
const BOM = /^\ufeff/

function sseFrame(text: string): RawFrame {
  // Mostly a frame is one line of data.
  if (text.startsWith(DATA) && text.indexOf('\n') === text.length - 2) {
    return { event: undefined, data: text.slice(DATA.length, -2) }
  }
  let event: string | undefined
  const data: string[] = []
  for (const line of text.replace(BOM, '').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (line.startsWith('data:')) data.push(value)
    else if (line.startsWith('event:')) event = value
  }
  return { event, data: data.join('\n') }
}
