/**
 * Output of the reader: slices of the input where it is valid JSON, replacements where it is not.
 * Text from a comma up to the value it announces is *owed*: it can still be taken back, when a
 * bracket or the end of the input shows that nothing follows.
 */
export interface Tape {
  /** Begins a chunk: `at` is the first character not consumed before. */
  load(text: string, at: number): void
  /** Ends a chunk of which everything before `at` was consumed. */
  unload(at: number): void
  /** Hands over everything before `at`, owed text included. */
  handOver(at: number): void
  /** Writes `piece` instead of the characters from `at` to `next`. */
  replace(at: number, next: number, piece: string): void
  /** Everything from `at` on is owed until settled or revoked. */
  owe(at: number): void
  settle(): void
  /** Takes the owed text back; input goes on at `next`. */
  revoke(next: number): void
  /** False when nothing is owed, or when it was too long to be kept back. */
  isOwing(): boolean
  /** Hands over what was written after the chunk was unloaded. */
  flush(): void
  /** Text the input has no characters for, after the chunk was unloaded. */
  write(piece: string): void
  /** Records what is written from `at` on; `record(at)` returns it. */
  startRecord(at: number): void
  record(at: number): string
}

/** More than a comma, a key of any sane length and the space around them. */
const OWED_LIMIT = 4096

export function createTape(send: (piece: string) => void): Tape {
  let text = ''
  /** Certain, but not handed over yet: one piece per chunk is kinder than one per repair. */
  let out = ''
  /** Start of the input not yet written. */
  let from = 0
  let owing = false
  /** Where the owed text starts in `text`; earlier chunks' part is in `owed`. */
  let owedFrom = 0
  let owed = ''
  let recording = false
  let recordFrom = 0
  let recorded = ''

  function emit(piece: string): void {
    out += piece
  }

  function flush(): void {
    if (out === '') return
    const piece = out
    out = ''
    send(piece)
  }

  function write(piece: string): void {
    if (piece === '') return
    if (recording) recorded += piece
    if (owing) owed += piece
    else emit(piece)
  }

  function copy(at: number): void {
    if (at <= from) return
    if (owing && owedFrom > from) {
      emit(text.slice(from, owedFrom))
      from = owedFrom
    }
    if (recording) {
      if (recordFrom < from) recordFrom = from
      if (at > recordFrom) recorded += text.slice(recordFrom, at)
      recordFrom = at
    }
    if (at > from) {
      if (owing) owed += text.slice(from, at)
      else emit(text.slice(from, at))
    }
    from = at
  }

  function settle(): void {
    if (!owing) return
    owing = false
    if (owed === '') return
    emit(owed)
    owed = ''
  }

  return {
    load(nextText: string, at: number): void {
      text = nextText
      from = at
      owedFrom = at
      recordFrom = at
    },
    unload(at: number): void {
      copy(at)
      text = ''
      from = 0
      if (owed.length > OWED_LIMIT) settle()
      flush()
    },
    handOver(at: number): void {
      // Settling first keeps owed text of this chunk part of one slice.
      settle()
      copy(at)
      flush()
    },
    replace(at: number, next: number, piece: string): void {
      copy(at)
      write(piece)
      from = next
      if (recording) recordFrom = next
      if (owing && owedFrom < next) owedFrom = next
    },
    owe(at: number): void {
      owing = true
      owedFrom = at
    },
    settle,
    revoke(next: number): void {
      if (owing && owedFrom > from) emit(text.slice(from, owedFrom))
      owing = false
      owed = ''
      from = next
    },
    flush,
    isOwing: () => owing,
    write,
    startRecord(at: number): void {
      recording = true
      recordFrom = at
      recorded = ''
    },
    record(at: number): string {
      recording = false
      // Nothing recorded yet: all of it stands in this chunk, and need not be copied apart.
      if (recorded === '') return text.slice(recordFrom, at)
      return recorded + text.slice(recordFrom, at)
    },
  }
}
