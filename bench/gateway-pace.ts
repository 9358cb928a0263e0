/** How the provider of the bench of gateways answers, said in the name of its model. */

/** What the name of a model asks for. */
export interface Pace {
  /** Every reply has a call in its text. */
  readonly leaks: boolean
  /** Milliseconds between chunks; 0: all at once. */
  readonly everyMs: number
  readonly chunks: number
}

export function paceName({ leaks, everyMs, chunks }: Pace): string {
  return `${leaks ? 'leaks' : 'plain'}-${everyMs}-${chunks}`
}

export function readPace(model: string): Pace {
  const [kind, everyMs, chunks] = model.split('-')
  return { leaks: kind === 'leaks', everyMs: Number(everyMs), chunks: Number(chunks) }
}
