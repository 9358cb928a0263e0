/** The tools of a run: found by name, with a way out for a model that asks for one that is not there. */
import { InvalidInputError } from '../core/errors.ts'
import type { RunnableTool } from '../tool.ts'

export interface Toolset {
  readonly tools: readonly RunnableTool[]
  find(name: string): RunnableTool | undefined
  /** What a model is told that called a tool which is not here. */
  unknown(name: string): string
}

/** Names at least this alike may be mixed up. */
const ALIKE = 0.75

export function createToolset(tools: readonly RunnableTool[]): Toolset {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size < tools.length) {
    const names = tools.map(({ name }) => name)
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    throw new InvalidInputError(`two tools are named "${twice}"; rename one of them`)
  }
  return {
    tools,
    find: (name) => byName.get(name),
    unknown: (name) => unknownTool(name, [...byName.keys()]),
  }
}

function unknownTool(name: string, names: readonly string[]): string {
  if (names.length === 0) return `unknown tool: ${name}. There are no tools; answer without one.`
  const nearest = nearestName(name, names)
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  return `unknown tool: ${name}. Available tools: ${names.join(', ')}.${hint}`
}

/** The name most like the given one, if any is alike enough to be meant. */
function nearestName(name: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let most = ALIKE
  for (const candidate of names) {
    const alike = similarity(name.toLowerCase(), candidate.toLowerCase())
    if (alike < most) continue
    most = alike
    best = candidate
  }
  return best
}

/** Jaro similarity: characters in common, not too far apart, less those in another order. */
function similarity(a: string, b: string): number {
  if (a === b) return 1
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const taken = new Set<number>()
  const common: string[] = []
  for (let i = 0; i < a.length; i++) {
    for (let j = Math.max(0, i - reach); j <= Math.min(b.length - 1, i + reach); j++) {
      if (taken.has(j) || a[i] !== b[j]) continue
      taken.add(j)
      common.push(a.charAt(i))
      break
    }
  }
  if (common.length === 0) return 0
  const others = [...taken].sort((x, y) => x - y).map((at) => b.charAt(at))
  const swapped = common.filter((character, at) => character !== others[at]).length / 2
  const count = common.length
  return (count / a.length + count / b.length + (count - swapped) / count) / 3
}
