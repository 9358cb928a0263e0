/** The tags models put around their reasoning, whatever format their calls have. */
import type { ReasoningTag } from '../protocol.ts'

export const REASONING_TAGS: readonly ReasoningTag[] = [
  ...['think', 'thinking', 'thought', 'reasoning', 'seed:think', 'mm:think'].map((name) => ({
    open: `<${name}>`,
    close: [`</${name}>`],
    prompted: true,
  })),
  { open: '[THINK]', close: ['[/THINK]'], prompted: true },
  { open: '◁think▷', close: ['◁/think▷'], prompted: true },
  { open: '<|START_THINKING|>', close: ['<|END_THINKING|>'], prompted: true },
]
