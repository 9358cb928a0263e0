/** The least work that finds every Hermes call in well-formed text: what we are measured against. */

const OPEN = '<tool_call>'
const CLOSE = '</tool_call>'

/** Two `indexOf` and one `JSON.parse` a call. Breaks on anything but perfect input. */
export function floorExtract(text: string): unknown[] {
  const calls: unknown[] = []
  for (let at = 0; ; ) {
    const open = text.indexOf(OPEN, at)
    if (open === -1) return calls
    const close = text.indexOf(CLOSE, open)
    if (close === -1) return calls
    calls.push(JSON.parse(text.slice(open + OPEN.length, close)))
    at = close + CLOSE.length
  }
}

/** The same for chunks: holds back half a marker, joins the fragments of a body once. */
export class FloorStream {
  readonly calls: unknown[] = []
  #body: string[] = []
  #inside = false
  #tail = ''

  /** Returns the text that can be shown at once. */
  push(chunk: string): string {
    let rest = this.#tail === '' ? chunk : this.#tail + chunk
    let shown = ''
    for (;;) {
      const marker = this.#inside ? CLOSE : OPEN
      const at = rest.indexOf(marker)
      if (at === -1) break
      if (this.#inside) {
        this.#body.push(rest.slice(0, at))
        this.calls.push(JSON.parse(this.#body.join('')))
        this.#body = []
      } else shown += rest.slice(0, at)
      this.#inside = !this.#inside
      rest = rest.slice(at + marker.length)
    }
    const keep = overlap(rest, this.#inside ? CLOSE : OPEN)
    this.#tail = keep === 0 ? '' : rest.slice(rest.length - keep)
    const sure = keep === 0 ? rest : rest.slice(0, rest.length - keep)
    if (!this.#inside) return shown === '' ? sure : shown + sure
    if (sure !== '') this.#body.push(sure)
    return shown
  }

  /** Returns what was held back; a body without its closer is lost. */
  end(): string {
    return this.#inside ? '' : this.#tail
  }
}

export type FloorEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: unknown }

/** The floor of streams that also hands out what it finds as events, which is what a stream is read for. */
export class EventFloor {
  #body: string[] = []
  #inside = false
  #tail = ''

  push(chunk: string): FloorEvent[] {
    const events: FloorEvent[] = []
    let rest = this.#tail + chunk
    let marker = this.#inside ? CLOSE : OPEN
    for (let at = rest.indexOf(marker); at !== -1; at = rest.indexOf(marker)) {
      this.#take(rest.slice(0, at), events)
      if (this.#inside) events.push({ type: 'call', call: JSON.parse(this.#body.join('')) })
      this.#body = []
      this.#inside = !this.#inside
      rest = rest.slice(at + marker.length)
      marker = this.#inside ? CLOSE : OPEN
    }
    const certain = rest.length - overlap(rest, marker)
    this.#take(rest.slice(0, certain), events)
    this.#tail = rest.slice(certain)
    return events
  }

  /** A body without its closer is lost. */
  end(): FloorEvent[] {
    return this.#inside || this.#tail === '' ? [] : [{ type: 'text', text: this.#tail }]
  }

  #take(piece: string, events: FloorEvent[]): void {
    if (piece === '') return
    if (this.#inside) this.#body.push(piece)
    else events.push({ type: 'text', text: piece })
  }
}

/** Length of the longest end of `text` that `marker` begins with. */
function overlap(text: string, marker: string): number {
  const from = Math.max(0, text.length - marker.length + 1)
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    if (marker.startsWith(text.slice(at))) return text.length - at
  }
  return 0
}
