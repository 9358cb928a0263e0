/** Reads HTTP messages from the bytes of a connection, as much of it as a bench needs. */

export interface MessageReader {
  push(bytes: Buffer): void
}

const HEAD_END = '\r\n\r\n'

/** Tells the body of each message, and the head it came with. */
export function createMessageReader(
  onMessage: (body: string, head: string) => void,
): MessageReader {
  let head: string | undefined
  let text = ''
  let length = 0
  let isChunked = false
  let isLast = false
  let body: string[] = []

  function begin(): boolean {
    const end = text.indexOf(HEAD_END)
    if (end < 0) return false
    head = text.slice(0, end)
    text = text.slice(end + HEAD_END.length)
    isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    isLast = false
    length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    return true
  }

  function finish(): void {
    const whole = body.join('')
    const started = head ?? ''
    head = undefined
    body = []
    onMessage(whole, started)
  }

  /** Takes what is there of a body with a length; true when that is all of it. */
  function takeSized(): boolean {
    if (text.length < length) return false
    body.push(text.slice(0, length))
    text = text.slice(length)
    return true
  }

  /** Takes whole chunks; true at the end of the last. */
  function takeChunks(): boolean {
    let at = 0
    try {
      for (;;) {
        const lineEnd = text.indexOf('\r\n', at)
        if (lineEnd < 0) return false
        // Behind the last chunk there may be trailers, and an empty line ends it all.
        if (isLast) {
          const isEmpty = lineEnd === at
          at = lineEnd + 2
          if (isEmpty) return true
          continue
        }
        const size = Number.parseInt(text.slice(at, lineEnd), 16)
        const end = lineEnd + 2 + size
        if (size === 0) isLast = true
        else if (text.length < end + 2) return false
        else body.push(text.slice(lineEnd + 2, end))
        at = size === 0 ? lineEnd + 2 : end + 2
      }
    } finally {
      text = text.slice(at)
    }
  }

  return {
    push(bytes) {
      text += bytes.toString('latin1')
      while (head !== undefined || begin()) {
        if (!(isChunked ? takeChunks() : takeSized())) return
        finish()
      }
    },
  }
}
