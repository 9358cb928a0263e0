/**
 * What services say when a request is longer than the model can read, taken apart: each has its own sentence, and
 * most of them hold the numbers that a client needs to make the next request fit.
 */

/** Numbers of tokens, as far as the service says them. */
export interface ContextOverflow {
  /** What the model can read and write together, or read alone. */
  readonly limit?: number
  /** What the request has without the reply. */
  readonly prompt?: number
  /** True: the service has stopped counting the prompt. */
  readonly isLeast?: boolean
  /** What was asked for the reply. */
  readonly output?: number
}

type Count = 'limit' | 'prompt' | 'output' | 'total' | 'least'

const N = String.raw`(\d[\d,]*)`

/** Each number in the order of the sentence; the first sentence that is found counts. */
const SENTENCES: readonly (readonly [RegExp, readonly Count[]])[] = [
  // vLLM, at present and before
  sentence('too large: N\\..{0,60}?length is N tokens.{0,40}?has N input tokens', [
    'output',
    'limit',
    'prompt',
  ]),
  sentence('passed N input tokens and requested N output tokens.{0,60}? is only N', [
    'prompt',
    'output',
    'limit',
  ]),
  sentence(
    'maximum context length is N tokens.{0,20}?requested N output tokens.{0,40}?at least N',
    ['limit', 'output', 'least'],
  ),
  sentence(
    'maximum context length is N tokens.{0,60}?(?:has|contains) (?:at least )?N input tokens',
    ['limit', 'prompt'],
  ),
  sentence('prompt \\(length N\\) is longer than the maximum model length of N', [
    'prompt',
    'limit',
  ]),
  // OpenAI and the many who repeat it; OpenRouter
  sentence(
    'length is N tokens.{0,40}?requested (?:about )?N tokens \\(N .{0,40}?, N in the completion',
    ['limit', 'total', 'prompt', 'output'],
  ),
  sentence('length is N tokens.{0,40}?requested about N tokens.{0,60}? N in the output', [
    'limit',
    'total',
    'output',
  ]),
  sentence('length is N tokens.{0,40}?(?:resulted in|requested) (?:about )?N tokens', [
    'limit',
    'prompt',
  ]),
  sentence('configured limit of N tokens.{0,40}?resulted in N tokens', ['limit', 'prompt']),
  // SGLang
  sentence('length of N tokens.{0,40}?total of N tokens: N tokens .{0,40}? and N tokens', [
    'limit',
    'total',
    'prompt',
    'output',
  ]),
  sentence("input \\(N tokens\\) is longer than the model's context length \\(N", [
    'prompt',
    'limit',
  ]),
  // llama.cpp
  sentence('request \\(N tokens\\) exceeds the available context size \\(N', ['prompt', 'limit']),
  // LM Studio
  sentence('keep the first N tokens .{0,80}? context length of only N', ['prompt', 'limit']),
  sentence('n_keep: N ?>= ?n_ctx: N', ['prompt', 'limit']),
  // Anthropic
  sentence('prompt is too long: N tokens > N', ['prompt', 'limit']),
  sentence('exceed context limit: N \\+ N > N', ['prompt', 'output', 'limit']),
  // Gemini
  sentence('input token count \\(?N\\)? exceeds .{0,60}?allowed \\(?N', ['prompt', 'limit']),
  sentence('input token count exceeds .{0,60}?allowed \\(?N', ['limit']),
  // Mistral, xAI, Moonshot, Cerebras, GitHub, Text Generation Inference
  sentence('contains N tokens.{0,60}? with N maximum context length', ['prompt', 'limit']),
  sentence('maximum prompt length is N but the request contains N', ['limit', 'prompt']),
  sentence('model token limit: N \\(requested: N', ['limit', 'prompt']),
  sentence('current length is N while limit is N', ['prompt', 'limit']),
  sentence('token count of N exceeds the limit of N', ['prompt', 'limit']),
  sentence('must be <= N\\. given: N .{0,20}?tokens and N', ['limit', 'prompt', 'output']),
  sentence('maximum context length (?:is|of) N', ['limit']),
]

function sentence(words: string, counts: readonly Count[]): readonly [RegExp, readonly Count[]] {
  return [new RegExp(words.replaceAll('N', N), 'i'), counts]
}

/** The sentences are short and occur at the beginning of a message. */
const MAX_LENGTH = 2000

export function readOverflow(message: string): ContextOverflow {
  const start = message.slice(0, MAX_LENGTH).replace(/\s+/g, ' ')
  for (const [pattern, counts] of SENTENCES) {
    const found = pattern.exec(start)
    if (!found) continue
    const values = found.slice(1).map((text) => Number(text.replaceAll(',', '')))
    return settled(Object.fromEntries(counts.map((count, at) => [count, values[at]])))
  }
  return {}
}

/** Numbers that the service has in fields of their own, as llama.cpp does. */
export function overflowIn({
  n_ctx: limit,
  n_prompt_tokens: prompt,
}: OverflowFields): ContextOverflow {
  return {
    ...(typeof limit === 'number' && { limit }),
    ...(typeof prompt === 'number' && { prompt }),
  }
}

export interface OverflowFields {
  readonly n_ctx?: unknown
  readonly n_prompt_tokens?: unknown
}

function settled(found: Partial<Record<Count, number>>): ContextOverflow {
  const { limit, total, output, least } = found
  const rest = total !== undefined && output !== undefined ? total - output : total
  const prompt = found.prompt ?? least ?? rest
  return {
    ...(limit !== undefined && { limit }),
    ...(prompt !== undefined && { prompt }),
    ...(output !== undefined && output > 0 && { output }),
    ...(least !== undefined && { isLeast: true }),
  }
}

/** What does not fit: the prompt alone, or the prompt with the reply that was asked for. */
export interface Overlong {
  readonly what: 'prompt' | 'reply'
  readonly limit: number
  readonly prompt: number
  readonly output: number
}

/** Who asks for so few tokens cannot make the request fit by asking for fewer. */
const SHORT_REPLY = 4096

/**
 * `estimate` is about how many tokens the prompt has, for services that stop counting. Undefined when the service
 * says too little.
 */
export function overlongPart(overflow: ContextOverflow, estimate = 0): Overlong | undefined {
  const { limit, prompt, output, isLeast = false } = overflow
  if (limit === undefined || prompt === undefined) return undefined
  if (prompt > limit) return { what: 'prompt', limit, prompt, output: 0 }
  if (isLeast && output !== undefined && output <= SHORT_REPLY) {
    return { what: 'prompt', limit: limit - output, prompt, output: 0 }
  }
  const counted = isLeast ? Math.min(Math.max(prompt, estimate), limit - 1) : prompt
  // Without a number it was at least so long.
  return { what: 'reply', limit, prompt: counted, output: output ?? limit - counted + 1 }
}
