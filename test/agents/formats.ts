/**
 * How models of different families write tool calls as text, after their chat templates. Written by hand, so that
 * Toolglot's readers are not only tried on what its own writers make.
 */

export interface ScriptedCall {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** `before` counts the calls of earlier turns. */
type Format = (calls: readonly ScriptedCall[], before: number) => string

const json = JSON.stringify
/** Text bare, everything else as JSON. */
const bare = (value: unknown): string => (typeof value === 'string' ? value : json(value))

function entries(call: ScriptedCall, write: (name: string, value: unknown) => string): string[] {
  return Object.entries(call.args).map(([name, value]) => write(name, value))
}

function each(write: (call: ScriptedCall) => string, between = ''): Format {
  return (calls) => calls.map(write).join(between)
}

const qwenFunction = (call: ScriptedCall): string => {
  const parameters = entries(call, (name, value) => {
    return `<parameter=${name}>\n${bare(value)}\n</parameter>\n`
  })
  return `<function=${call.name}>\n${parameters.join('')}</function>\n</tool_call>`
}

export const FORMATS: Readonly<Record<string, Format>> = {
  hermes: each(
    ({ name, args }) => `<tool_call>\n${json({ name, arguments: args })}\n</tool_call>`,
    '\n',
  ),
  'qwen3-coder': each((call) => `<tool_call>\n${qwenFunction(call)}`, '\n'),
  // A server that takes <tool_call> for a special token leaves it out.
  'qwen3-coder-bare': each(qwenFunction, '\n'),
  glm45: each((call) => {
    const pairs = entries(call, (name, value) => {
      return `<arg_key>${name}</arg_key>\n<arg_value>${bare(value)}</arg_value>\n`
    })
    return `\n<tool_call>${call.name}\n${pairs.join('')}</tool_call>`
  }),
  glm47: each((call) => {
    const pairs = entries(call, (name, value) => {
      return `<arg_key>${name}</arg_key><arg_value>${bare(value)}</arg_value>`
    })
    return `<tool_call>${call.name}${pairs.join('')}</tool_call>`
  }),
  'kimi-k2': (calls, before) => {
    const all = calls.map(({ name, args }, at) => {
      const id = `functions.${name}:${before + at}`
      return `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json(args)}<|tool_call_end|>`
    })
    return `<|tool_calls_section_begin|>${all.join('')}<|tool_calls_section_end|>`
  },
  harmony: each(({ name, args }) => {
    const thought = `<|channel|>analysis<|message|>We need to call ${name}.<|end|><|start|>assistant`
    const to = `<|channel|>commentary to=functions.${name} <|constrain|>json`
    return `${thought}${to}<|message|>${json(args)}<|call|>`
  }),
  'deepseek-v31': (calls) => {
    const all = calls.map(({ name, args }) => {
      return `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(args)}<｜tool▁call▁end｜>`
    })
    return `<｜tool▁calls▁begin｜>${all.join('')}<｜tool▁calls▁end｜>`
  },
  'deepseek-dsml': (calls) => {
    const all = calls.map((call) => {
      const parameters = entries(call, (name, value) => {
        const isText = typeof value === 'string'
        return `<｜DSML｜parameter name="${name}" string="${isText}">${bare(value)}</｜DSML｜parameter>\n`
      })
      return `<｜DSML｜invoke name="${call.name}">\n${parameters.join('')}</｜DSML｜invoke>\n`
    })
    return `<｜DSML｜function_calls>\n${all.join('')}</｜DSML｜function_calls>`
  },
  'minimax-m2': (calls) => {
    const all = calls.map((call) => {
      const parameters = entries(call, (name, value) => {
        return `<parameter name="${name}">${bare(value)}</parameter>\n`
      })
      return `<invoke name="${call.name}">\n${parameters.join('')}</invoke>\n`
    })
    return `<minimax:tool_call>\n${all.join('')}</minimax:tool_call>`
  },
  mistral: each(({ name, args }) => `[TOOL_CALLS]${name}[ARGS]${json(args)}`),
}
