/**
 * Arguments that arrive by path: `{"jsonPath": "$.steps[0]", "stringValue": "Mix", "willContinue": true}`.
 * They are put together, and written out as JSON text while they come, for they come in order.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

type Step = string | number

export interface PartialArguments {
  /** Takes one piece; returns the JSON text that it adds. */
  add(piece: JsonObject): string
  /** Returns the JSON text that was still missing. */
  end(): string
  /** True while a text is to go on. */
  isOpen(): boolean
  readonly value: JsonObject
}

export function createPartialArguments(): PartialArguments {
  const value: JsonObject = {}
  const writer = createWriter()
  let growing: readonly Step[] | undefined

  return {
    value,
    add(piece) {
      const path = readPath(piece['jsonPath'])
      if (path.length === 0) return ''
      const leaf = readLeaf(piece)
      if (leaf === undefined) return ''
      const isMore = growing !== undefined && samePath(growing, path) && typeof leaf === 'string'
      const before = isMore ? getAt(value, path) : ''
      setAt(value, path, isMore ? String(before) + leaf : leaf)
      growing = piece['willContinue'] === true && typeof leaf === 'string' ? path : undefined
      const opened = isMore ? '' : writer.open(path, leaf)
      return opened + writer.write(leaf, isMore, growing !== undefined)
    },
    end: () => writer.close(),
    isOpen: () => growing !== undefined,
  }
}

interface Writer {
  open(path: readonly Step[], leaf: JsonValue): string
  write(leaf: JsonValue, isMore: boolean, continues: boolean): string
  close(): string
}

/** Writes values by path, one after the other; what is open is closed when the next is elsewhere. */
function createWriter(): Writer {
  let open: Step[] = []
  let isInText = false
  let text = ''

  function emit(piece: string): void {
    text += piece
  }

  function taken(): string {
    const piece = text
    text = ''
    return piece
  }

  function endText(): void {
    if (isInText) emit('"')
    isInText = false
  }

  /** `open` holds the path of the value written last; containers are all but its last step. */
  function closeTo(length: number): void {
    for (let at = open.length - 1; at > length; at--) emit(closing(open[at]))
  }

  return {
    open(path) {
      endText()
      if (open.length === 0) emit('{')
      const shared = sharedSteps(open, path)
      if (open.length > 0) {
        closeTo(shared)
        emit(',')
      }
      path.slice(shared).forEach((step, at) => {
        if (at > 0) emit(typeof step === 'number' ? '[' : '{')
        if (typeof step === 'string') emit(`${JSON.stringify(step)}:`)
      })
      open = [...path]
      return taken()
    },
    write(leaf, isMore, continues) {
      if (typeof leaf !== 'string') emit(JSON.stringify(leaf))
      else {
        if (!isMore) emit('"')
        emit(JSON.stringify(leaf).slice(1, -1))
        isInText = true
        if (!continues) endText()
      }
      return taken()
    },
    close() {
      endText()
      if (open.length === 0) emit('{')
      closeTo(0)
      emit('}')
      return taken()
    },
  }
}

/** What closes the container that the step leads into. */
function closing(step: Step | undefined): string {
  return typeof step === 'number' ? ']' : '}'
}

function sharedSteps(one: readonly Step[], other: readonly Step[]): number {
  const at = other.findIndex((step, index) => step !== one[index])
  return at === -1 ? other.length - 1 : at
}

function samePath(one: readonly Step[], other: readonly Step[]): boolean {
  return one.length === other.length && one.every((step, at) => step === other[at])
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/g

/** `$.a.b[0]['c d']` as its steps. */
function readPath(path: JsonValue | undefined): Step[] {
  if (typeof path !== 'string') return []
  return Array.from(path.matchAll(STEP), ([, name, index, single, double]) => {
    const quoted = single ?? double
    if (quoted !== undefined) return quoted.replace(/\\(.)/g, '$1')
    return index === undefined ? (name ?? '') : Number(index)
  })
}

function readLeaf(piece: JsonObject): JsonValue | undefined {
  if ('nullValue' in piece) return null
  for (const key of ['stringValue', 'numberValue', 'boolValue'] as const) {
    if (piece[key] !== undefined) return piece[key]
  }
  return undefined
}

function getAt(root: JsonValue, path: readonly Step[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((inner, step) => member(inner, step), root)
}

function member(owner: JsonValue | undefined, step: Step): JsonValue | undefined {
  if (Array.isArray(owner)) return typeof step === 'number' ? owner[step] : undefined
  return isJsonObject(owner) && Object.hasOwn(owner, step) ? owner[step] : undefined
}

/** A list grows by one at a time, whatever index is named: a hostile one must not fill the memory. */
function setAt(root: JsonObject, path: readonly Step[], leaf: JsonValue): void {
  let owner: JsonValue = root
  path.forEach((step, at) => {
    const next = path[at + 1]
    const inner = next === undefined ? leaf : (member(owner, step) ?? container(next))
    owner = put(owner, step, inner)
  })
}

function container(step: Step): JsonValue {
  return typeof step === 'number' ? [] : {}
}

function put(owner: JsonValue, step: Step, value: JsonValue): JsonValue {
  if (Array.isArray(owner)) {
    const at = typeof step === 'number' ? Math.min(step, owner.length) : owner.length
    owner[at] = value
  } else if (isJsonObject(owner)) {
    Object.defineProperty(owner, String(step), {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return value
}
