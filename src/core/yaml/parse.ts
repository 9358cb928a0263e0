/**
 * The part of YAML that models write: maps and lists in lines or in brackets, quoted and plain words,
 * texts in lines of their own, comments. Anchors, aliases and tags mean nothing and are plain words.
 */
import { type BlockHeader, joinBlock, readHeader } from './block-scalar.ts'
import { fold, type Read, readFlow, readQuoted } from './flow.ts'
import { MAX_DEPTH, NOTHING, type YamlNode } from './node.ts'

interface Line {
  readonly from: number
  readonly end: number
  /** Of what is left of the line: behind a dash there is less of it, further in. */
  indent: number
  start: number
}

/** What the text says; undefined when it is not YAML. Never throws. */
export function parseYaml(source: string): YamlNode | undefined {
  const lines = documentLines(source)
  let at = 0

  function isBlank(line: Line): boolean {
    return line.start >= line.end || source.charAt(line.start) === '#'
  }

  /** The next line with anything on it. */
  function peek(): Line | undefined {
    let line = lines[at]
    while (line && isBlank(line)) line = lines[++at]
    return line
  }

  function readBlock(min: number, depth: number): YamlNode | undefined {
    const line = peek()
    if (!line || line.indent < min) return NOTHING
    if (depth > MAX_DEPTH) return undefined
    if (isDash(line)) return readList(line.indent, depth)
    return keyOf(line) ? readMap(line.indent, depth) : readInline(line, line.start, min - 1, depth)
  }

  // ── lists ─────────────────────────────────────────────────────────────────────────────────────

  function isDash({ start, end }: Line): boolean {
    return source.charAt(start) === '-' && (start + 1 === end || isGap(start + 1))
  }

  function isGap(i: number): boolean {
    return source.charAt(i) === ' ' || source.charAt(i) === '\t'
  }

  function readList(indent: number, depth: number): YamlNode | undefined {
    const items: YamlNode[] = []
    for (let line = peek(); line?.indent === indent && isDash(line); line = peek()) {
      const item = readItem(line, indent, depth)
      if (!item) return undefined
      items.push(item)
    }
    return endsAt(indent) ? { kind: 'list', items } : undefined
  }

  function readItem(line: Line, indent: number, depth: number): YamlNode | undefined {
    const start = skipGap(line.start + 1, line.end)
    line.indent += start - line.start
    line.start = start
    if (isBlank(line)) {
      at++
      return readBlock(indent + 1, depth + 1)
    }
    if (isDash(line) || keyOf(line)) return readBlock(indent + 1, depth + 1)
    return readInline(line, start, indent, depth)
  }

  function skipGap(start: number, end: number): number {
    let i = start
    while (i < end && isGap(i)) i++
    return i
  }

  /** False when a line follows that is further in and belongs to nothing. */
  function endsAt(indent: number): boolean {
    const next = peek()
    return !next || next.indent <= indent
  }

  // ── maps ──────────────────────────────────────────────────────────────────────────────────────

  /** The key at the beginning of a line, up to behind its colon. */
  function keyOf({ start, end }: Line): Read<string> | undefined {
    const first = source.charAt(start)
    if (first === '"' || first === "'") {
      const quoted = readQuoted(source, start)
      const colon = quoted ? skipGap(quoted.end, end) : end
      return quoted && isColon(colon, end) ? { value: quoted.value, end: colon + 1 } : undefined
    }
    if ('{[|>'.includes(first)) return undefined
    for (let i = start; i < end; i++) {
      if (isColon(i, end)) return { value: source.slice(start, i).trimEnd(), end: i + 1 }
      if (source.charAt(i) === '#' && isGap(i - 1)) break
    }
    return undefined
  }

  function isColon(i: number, end: number): boolean {
    return i < end && source.charAt(i) === ':' && (i + 1 === end || isGap(i + 1))
  }

  function readMap(indent: number, depth: number): YamlNode | undefined {
    const entries = new Map<string, YamlNode>()
    for (let line = peek(); line?.indent === indent; line = peek()) {
      const key = keyOf(line)
      // A list that is the value of a key above may stand as far out as the key.
      if (!key) break
      const value = readValue(line, key.end, indent, depth)
      if (!value || entries.has(key.value)) return undefined
      entries.set(key.value, value)
    }
    return endsAt(indent) ? { kind: 'map', entries: [...entries] } : undefined
  }

  function readValue(
    line: Line,
    start: number,
    indent: number,
    depth: number,
  ): YamlNode | undefined {
    const i = skipGap(start, line.end)
    if (i < line.end && source.charAt(i) !== '#') return readInline(line, i, indent, depth)
    at++
    const next = peek()
    if (next?.indent === indent && isDash(next)) return readList(indent, depth + 1)
    return readBlock(indent + 1, depth + 1)
  }

  // ── scalars ───────────────────────────────────────────────────────────────────────────────────

  /** A value that begins on the line of its key or dash, which is indented by `indent`. */
  function readInline(
    line: Line,
    start: number,
    indent: number,
    depth: number,
  ): YamlNode | undefined {
    const first = source.charAt(start)
    if (`{["'`.includes(first)) return endLine(readFlow(source, start, depth))
    const header = readHeader(source.slice(start, line.end))
    at++
    return header ? readText(header, indent) : readPlain(line, start, indent)
  }

  /** Nothing but a comment may stand behind a value in brackets or quotes. */
  function endLine(read: Read<YamlNode> | undefined): YamlNode | undefined {
    if (!read) return undefined
    let line = lines[at]
    while (line && line.end < read.end) line = lines[++at]
    at++
    const rest = line ? source.slice(read.end, line.end).trim() : ''
    return rest === '' || rest.startsWith('#') ? read.value : undefined
  }

  function readPlain(line: Line, start: number, indent: number): YamlNode | undefined {
    const parts = [withoutComment(source.slice(start, line.end))]
    for (let next = lines[at]; next; next = lines[at]) {
      const isEmpty = next.start >= next.end
      if (!isEmpty && (next.indent <= indent || isBlank(next))) break
      if (!isEmpty && keyOf(next)) return undefined
      parts.push(withoutComment(source.slice(next.start, next.end)))
      at++
    }
    return { kind: 'plain', text: fold(parts.join('\n').trim()) }
  }

  function readText(header: BlockHeader, parent: number): YamlNode {
    const texts: string[] = []
    let indent = header.indent === undefined ? -1 : parent + header.indent
    for (let line = lines[at]; line; line = lines[at]) {
      if (line.start < line.end) {
        if (indent === -1) indent = line.indent
        if (line.indent < indent || line.indent <= parent) break
      }
      const shown = indent === -1 ? line.end : Math.min(line.from + indent, line.end)
      texts.push(source.slice(shown, line.end))
      at++
    }
    return { kind: 'text', text: joinBlock(texts, header) }
  }

  const node = readBlock(0, 0)
  return node && !peek() ? node : undefined
}

function withoutComment(text: string): string {
  const found = text.search(/[ \t]#/)
  return (found === -1 ? text : text.slice(0, found)).trim()
}

/** The lines of the first document, without the marks around it. */
function documentLines(source: string): Line[] {
  const lines: Line[] = []
  let begun = false
  for (let from = 0; from < source.length; ) {
    const found = source.indexOf('\n', from)
    const next = found === -1 ? source.length : found
    const end = source.charAt(next - 1) === '\r' && next > from ? next - 1 : next
    let start = from
    while (start < end && ' \t'.includes(source.charAt(start))) start++
    const isMark = /^(?:---|\.\.\.)$/.test(source.slice(from, Math.min(end, from + 4)))
    if (isMark && begun) break
    begun ||= start < end && !isMark
    if (!isMark) lines.push({ from, end, start, indent: start - from })
    from = next + 1
  }
  return lines
}
