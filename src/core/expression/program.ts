/**
 * Expressions as programs for {@link scan}: every instruction is a state of a nondeterministic automaton. A body
 * that is repeated a number of times is there as many times, which is why the size has a limit.
 */
import { type Expression, PLACES, parseExpression, type Syntax } from './syntax.ts'

/** What an instruction does; those that lead on lead to the next one unless it says where. */
export const LITERAL = 0
/** Waits for a character of the class number `first`; a `LITERAL` for the character `first`. */
export const CLASS = 1
/** Leads to `first` and to `second`. */
export const SPLIT = 2
/** Leads to `first`. */
export const JUMP = 3
/** Leads on where the place `first` is. */
export const PLACE = 4
/** Leads on where the look number `first` succeeds. */
const LOOK = 5
export const END = 6

export interface Program {
  readonly operations: Int32Array
  readonly first: Int32Array
  readonly second: Int32Array
  readonly classes: readonly CharacterClass[]
  /** True when it reads from the end of the text to its beginning. */
  readonly isBackward: boolean
}

export interface Look {
  readonly program: Program
  readonly negated: boolean
}

export interface CompiledExpression {
  readonly program: Program
  /** Those inside another come before it. */
  readonly looks: readonly Look[]
  readonly flags: Syntax['flags']
  /** Instructions in all programs. */
  readonly size: number
}

/** Characters that one token of an expression accepts. */
export interface CharacterClass {
  has(code: number): boolean
}

/** Undefined for what is no expression, has back references, or takes more than `maxSize` instructions. */
export function compileExpression(source: string, maxSize: number): CompiledExpression | undefined {
  const syntax = parseExpression(source)
  if (!syntax) return undefined
  const size = sizeOf(syntax.tree)
  if (size > maxSize) return undefined
  const looks: Look[] = []
  const classes = createClasses(syntax.flags)
  const numbers = new Map<Expression, number>()
  const context = { classes, looks, numbers, isBackward: false }
  const program = writeProgram(syntax.tree, context)
  return { program, looks, flags: syntax.flags, size }
}

/** How many instructions an expression takes, and no less than it takes to write them. */
function sizeOf(tree: Expression): number {
  switch (tree.kind) {
    case 'character':
    case 'place':
      return 1
    case 'look':
      return 2 + sizeOf(tree.body)
    case 'sequence':
      return tree.parts.reduce((size, part) => size + sizeOf(part), 1)
    case 'choice':
      return tree.forms.reduce((size, form) => size + sizeOf(form) + 2, 0)
    case 'repeat': {
      const { body, least, most } = tree
      return 2 + (sizeOf(body) + 1) * (most === Infinity ? least + 1 : most)
    }
  }
}

interface Classes {
  readonly list: CharacterClass[]
  numberOf(token: string): number
}

function createClasses(flags: Syntax['flags']): Classes {
  const numbers = new Map<string, number>()
  const list: CharacterClass[] = []
  return {
    list,
    numberOf(token) {
      const number = numbers.get(token) ?? list.push(createClass(token, flags)) - 1
      numbers.set(token, number)
      return number
    },
  }
}

const ASCII = 128

// One character against one class: the language itself does that in constant time.
function createClass(token: string, flags: Syntax['flags']): CharacterClass {
  const expression = new RegExp(`^${token}$`, flags)
  const test = (code: number): boolean => expression.test(String.fromCodePoint(code))
  /** 1 for yes, 2 for no, 0 for what was not asked yet. */
  const known = new Uint8Array(ASCII)
  return {
    has(code) {
      if (code >= ASCII) return test(code)
      if (known[code] === 0) known[code] = test(code) ? 1 : 2
      return known[code] === 1
    },
  }
}

/** The only character that a token accepts, where that is plain. */
function literalOf(token: string): number | undefined {
  const code = token.codePointAt(0) ?? 0
  return token !== '.' && token.length === String.fromCodePoint(code).length ? code : undefined
}

interface Context {
  readonly classes: Classes
  readonly looks: Look[]
  /** Which look is that of an expression: one that is repeated is written several times. */
  readonly numbers: Map<Expression, number>
  readonly isBackward: boolean
}

function writeProgram(tree: Expression, context: Context): Program {
  const { classes, numbers, looks, isBackward } = context
  const operations: number[] = []
  const first: number[] = []
  const second: number[] = []

  function emit(operation: number, argument = 0): number {
    operations.push(operation)
    second.push(0)
    return first.push(argument) - 1
  }

  function write(tree: Expression): void {
    switch (tree.kind) {
      case 'character':
        return writeCharacter(tree.token)
      case 'place':
        emit(PLACE, PLACES.indexOf(tree.place))
        return
      case 'look':
        emit(LOOK, numbers.get(tree) ?? addLook(tree))
        return
      case 'sequence':
        for (const part of isBackward ? tree.parts.toReversed() : tree.parts) write(part)
        return
      case 'choice':
        return writeChoice(tree.forms)
      case 'repeat':
        return writeRepeat(tree)
    }
  }

  function writeCharacter(token: string): void {
    const literal = literalOf(token)
    if (literal === undefined) emit(CLASS, classes.numberOf(token))
    else emit(LITERAL, literal)
  }

  // To know where a look-ahead succeeds it is run from the end of the text: it then arrives there.
  function addLook(look: Expression & { readonly kind: 'look' }): number {
    const program = writeProgram(look.body, { ...context, isBackward: look.ahead })
    const number = looks.push({ program, negated: look.negated }) - 1
    numbers.set(look, number)
    return number
  }

  function writeChoice(forms: readonly Expression[]): void {
    const ends: number[] = []
    for (const [at, form] of forms.entries()) {
      const isLast = at === forms.length - 1
      const split = isLast ? -1 : emit(SPLIT, operations.length + 1)
      write(form)
      if (isLast) break
      ends.push(emit(JUMP))
      second[split] = operations.length
    }
    for (const end of ends) first[end] = operations.length
  }

  function writeRepeat({ body, least, most }: Expression & { readonly kind: 'repeat' }): void {
    for (let count = 0; count < least; count++) write(body)
    const splits: number[] = []
    const optional = most === Infinity ? 1 : most - least
    for (let count = 0; count < optional; count++) {
      splits.push(emit(SPLIT, operations.length + 1))
      write(body)
    }
    if (most === Infinity) emit(JUMP, splits[0])
    for (const split of splits) second[split] = operations.length
  }

  write(tree)
  emit(END)
  return {
    operations: Int32Array.from(operations),
    first: Int32Array.from(first),
    second: Int32Array.from(second),
    classes: classes.list,
    isBackward,
  }
}
