/** How we stand beside packages that do the same, text by text. */
import type { Cell, Table } from './report.ts'
import { formatRatio, timeCell } from './report.ts'

export interface Standing {
  /** The text that was read. */
  readonly name: string
  readonly size: number
  /** Nanoseconds we take with the protocol named, as peers have it named to them. */
  readonly ours: number
  /** What all protocols and the floor take, in times of ours. */
  readonly auto: number
  readonly floor: number
  readonly peers: readonly Peer[]
}

export interface Peer {
  readonly name: string
  /** A way to do it by hand; no package to be faster than. */
  readonly reference?: boolean
  /** How many times as long it takes as we do; at least, when it was given up. */
  readonly speed: number
  /** Undefined when it was given up. */
  readonly right: boolean | undefined
}

interface Speed {
  readonly name: string
  readonly value: number
}

/** How many times as fast we are, text by text, as the fastest package that finds all calls in it. */
export function speedsBesideRight(standings: readonly Standing[]): Speed[] {
  return standings.map((standing) => besideFastest(standing, ({ right }) => right !== false))
}

/** The same for packages that find all calls in every text of the run that they finish. */
export function speedsBesideReliable(
  standings: readonly Standing[],
  run: readonly Standing[],
): Speed[] {
  return standings.map((standing) => besideFastest(standing, ({ name }) => findsAll(name, run)))
}

function besideFastest({ name, peers }: Standing, counts: (peer: Peer) => boolean): Speed {
  const able = peers.filter((peer) => !peer.reference && counts(peer))
  return { name, value: Math.min(...able.map(({ speed }) => speed)) }
}

function findsAll(name: string, run: readonly Standing[]): boolean {
  return run.every(({ peers }) => peers.every((peer) => peer.name !== name || peer.right !== false))
}

export function standingTable(title: string, standings: readonly Standing[]): Table {
  const names = standings[0]?.peers.map(({ name }) => name) ?? []
  return {
    title,
    head: ['input', 'hermes, tools', 'auto, tools', 'floor', ...names],
    rows: standings.map(({ name, ours, auto, floor, peers }) => [
      name,
      timeCell(ours, 1),
      formatRatio(auto),
      formatRatio(floor),
      ...peers.map(peerCell),
    ]),
  }
}

function peerCell({ speed, right, reference }: Peer): Cell {
  if (right === undefined) return `> ${formatRatio(speed)}`
  return right || reference ? formatRatio(speed) : `${formatRatio(speed)}, calls lost`
}
