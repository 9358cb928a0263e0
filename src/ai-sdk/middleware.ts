/** A middleware for the AI SDK that gives any model working tools. */
import type { LanguageModelMiddleware } from 'ai'
import { classify } from '../client/error-class.ts'
import { parseStrict } from '../core/json/strict.ts'
import { type CallMode, type CallPlan, planCall } from './call-plan.ts'
import type { CallOptions, Model } from './language-model.ts'
import { checkOptions, type MiddlewareOptions } from './middleware-options.ts'
import { streamReader } from './streamed-reply.ts'
import { readWhole } from './whole-reply.ts'

/**
 * Finds the calls that a model leaves in its text, and makes them calls like any other; for models
 * without tools, writes the tools into the system prompt.
 *
 * @example
 * const model = wrapLanguageModel({ model: provider('qwen3-coder'), middleware: toolglotMiddleware() })
 *
 * @throws InvalidInputError when an option cannot be meant.
 */
export function toolglotMiddleware(options: MiddlewareOptions = {}): LanguageModelMiddleware {
  checkOptions(options)
  const modes = createModes(options.mode)

  /** Sends a call in the way that fits the model, and in words when it turns out to take no tools. */
  async function attempt<Result>(
    model: Model,
    params: CallOptions,
    send: (plan: CallPlan) => PromiseLike<Result>,
  ): Promise<Result> {
    const mode = modes.of(model)
    try {
      return await send(planCall(mode, model, params, options))
    } catch (error) {
      const hasTools = (params.tools?.length ?? 0) > 0
      if (mode === 'text' || !hasTools || !modes.learn(model, error)) throw error
      return send(planCall('text', model, params, options))
    }
  }

  return {
    specificationVersion: 'v3',
    // Not the functions that are handed in, for what they send is settled already.
    wrapGenerate: ({ model, params }) =>
      attempt(model, params, async (plan) => readWhole(await model.doGenerate(plan.params), plan)),
    wrapStream: ({ model, params }) =>
      attempt(model, params, async (plan) => {
        const { stream, ...rest } = await model.doStream(plan.params)
        return { ...rest, stream: stream.pipeThrough(streamReader(plan)) }
      }),
  }
}

/** How tools reach each model, as far as is known. */
interface Modes {
  of(model: Model): CallMode
  /** True when the failure says that this model takes no tools, and words can be tried instead. */
  learn(model: Model, error: unknown): boolean
}

function createModes(mode: MiddlewareOptions['mode'] = 'auto'): Modes {
  const withoutTools = new Set<string>()
  const nameOf = ({ provider, modelId }: Model): string => `${provider} ${modelId}`
  return {
    of: (model) => (mode === 'auto' ? (withoutTools.has(nameOf(model)) ? 'text' : 'rescue') : mode),
    learn(model, error) {
      if (mode !== 'auto' || !refusesTools(error)) return false
      withoutTools.add(nameOf(model))
      return true
    },
  }
}

/** Told by the fields of the SDK's error, because there may be two copies of its class. */
function refusesTools(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false
  const { statusCode: status, message } = error
  const text = 'responseBody' in error ? error.responseBody : undefined
  const body = typeof text === 'string' ? (parseStrict(text) ?? text) : message
  return (
    classify({ status: typeof status === 'number' ? status : undefined, body }).code ===
    'unsupported'
  )
}
