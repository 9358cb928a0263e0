/** What does the agent loop cost beside the model and the tools, and does it grow with the history? */
import type { Message } from '../src/core/model.ts'
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Report } from './report.ts'
import { load } from './subject.ts'

const { runSteps } = await load<typeof import('./agent-steps.ts')>('./agent-steps.ts')

const STEPS = 100
const LONG = 10_000
const NS_PER_MS = 1e6

export async function agent(effort: Effort): Promise<Report> {
  const history = longHistory()
  const [short, long] = await compare(
    [
      { name: 'a new conversation', run: () => runSteps([], STEPS), expected: STEPS },
      { name: `behind ${LONG} messages`, run: () => runSteps(history, STEPS), expected: STEPS },
    ],
    effort,
  )
  return {
    tables: [
      {
        title: `The agent loop, ${STEPS} steps with a model and a tool that take no time`,
        head: ['', 'µs a step'],
        rows: [short, long].map((timing) => [timing.name, (perStep(timing) * 1000).toFixed(0)]),
      },
    ],
    bars: [
      {
        name: 'milliseconds a step of the agent loop',
        value: perStep(long),
        limit: 1,
        kind: 'max',
      },
      {
        name: `a step behind ${LONG} messages against one in a new conversation`,
        value: ratio(long, short),
        limit: 1.5,
        kind: 'max',
      },
    ],
  }
}

function perStep({ median }: Timing): number {
  return median / STEPS / NS_PER_MS
}

function longHistory(): Message[] {
  return Array.from({ length: LONG }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `message ${at}, as long as messages often are, and a little longer than that`,
  }))
}
