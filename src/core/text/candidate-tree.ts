/**
 * Candidates sorted by the characters with which they begin. Grown where it is walked: of the many ways
 * in which hundreds of markers could begin, a reply shows a few.
 */
import type { Candidate } from './grammar.ts'

export interface CandidateTree {
  /** Those that the characters so far leave, in order of precedence. */
  readonly all: readonly Candidate[]
  /** Those of them that do not care for the next character. */
  readonly others: readonly Candidate[]
  /** What each next character leaves. */
  children(): ReadonlyMap<number, CandidateTree>
}

export function buildTree(candidates: readonly Candidate[]): CandidateTree {
  const numbers = new Map(candidates.map((candidate, number) => [candidate, number]))
  /** Different characters often leave the same: upper and lower case, for one. */
  const known = new Map<string, CandidateTree>()

  function treeOf(all: readonly Candidate[], depth: number): CandidateTree {
    const key = `${depth}:${all.map((candidate) => numbers.get(candidate)).join()}`
    const tree = known.get(key) ?? createTree(all, depth)
    known.set(key, tree)
    return tree
  }

  function createTree(all: readonly Candidate[], depth: number): CandidateTree {
    let children: ReadonlyMap<number, CandidateTree> | undefined
    return {
      all,
      others: all.filter(({ marker: { prefix } }) => prefix.length <= depth),
      children: () => {
        children ??= grow(all, depth)
        return children
      },
    }
  }

  function grow(all: readonly Candidate[], depth: number): ReadonlyMap<number, CandidateTree> {
    const others: Candidate[] = []
    const byCode = new Map<number, Candidate[]>()
    for (const candidate of all) {
      const characters = candidate.marker.prefix[depth]
      if (characters === undefined) {
        others.push(candidate)
        for (const list of byCode.values()) list.push(candidate)
        continue
      }
      for (const code of new Set(Array.from(characters, (character) => character.charCodeAt(0)))) {
        const list = byCode.get(code)
        if (list) list.push(candidate)
        else byCode.set(code, [...others, candidate])
      }
    }
    return new Map(Array.from(byCode, ([code, list]) => [code, treeOf(list, depth + 1)]))
  }

  return treeOf(candidates, 0)
}

/** What may begin at `i`. */
export function candidatesAt(root: CandidateTree, text: string, i: number): readonly Candidate[] {
  let tree = root
  for (let at = i; tree.others.length < tree.all.length; at++) {
    if (at === text.length) return tree.all
    const next = tree.children().get(text.charCodeAt(at))
    if (!next) return tree.others
    tree = next
  }
  return tree.all
}
