/** The tags models put around their reasoning. */

export interface ReasoningTag {
  readonly open: string
  readonly close: string
}

export const REASONING_TAGS: readonly ReasoningTag[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '<thought>', close: '</thought>' },
  { open: '<reasoning>', close: '</reasoning>' },
  { open: '◁think▷', close: '◁/think▷' },
]
