/** What services say about their models, and how they are asked. */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'

/** What a service says about a model; what it does not say is left out. */
export interface ModelFacts {
  /** The model takes tools. False: the service would refuse them. */
  readonly nativeTools?: boolean
  /** How many tokens it can read, the reply included. */
  readonly contextWindow?: number
  readonly maxOutputTokens?: number
  /** It can see images. */
  readonly vision?: boolean
  /** It can think before it answers. */
  readonly reasoning?: boolean
}

/** How a service is asked about its models. */
export interface ModelInfoSource {
  /**
   * The question about one model: a path with `{model}`, asked by GET, or by POST with the name in the body.
   * Without it the model is looked up in the list.
   */
  readonly one?: { readonly path: string; readonly method: 'GET' | 'POST' }
  /** The list of all models: where it is, if not at `paths.models`, and which field has the name of a model. */
  readonly list: { readonly path?: string; readonly id: string; readonly prefix?: string }
  /** True: the answer says which models take no tools. */
  readonly tellsTools?: boolean
  /** What an answer about one model, or an entry of the list, says. */
  read(entry: JsonObject): ModelFacts
}

/** The list as OpenAI has it, with the fields that services have added to its entries. */
export const CHAT_MODELS: ModelInfoSource = { list: { id: 'id' }, read: readChatModel }

function readChatModel(entry: JsonObject): ModelFacts {
  return facts({
    contextWindow: count(
      // Of most; of Groq; of vLLM and SGLang; of Mistral.
      entry['context_length'] ??
        entry['context_window'] ??
        entry['max_model_len'] ??
        entry['max_context_length'] ??
        // Of llama.cpp: the window that the model is run with, and the one that it was trained with.
        at(entry, 'meta', 'n_ctx') ??
        at(entry, 'meta', 'n_ctx_train'),
    ),
    maxOutputTokens: count(entry['max_completion_tokens']),
    vision: flag(entry['supports_image_input'] ?? entry['supports_image_in']),
    reasoning: flag(entry['supports_reasoning']),
    nativeTools: flag(entry['supports_tools']),
  })
}

/** Only what is known. */
export function facts(
  found: {
    readonly [Name in keyof ModelFacts]: ModelFacts[Name] | undefined
  },
): ModelFacts {
  const known = Object.entries(found).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known)
}

/** A number of tokens. */
export function count(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

export function flag(value: JsonValue | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** Whether a word is in a list; undefined when there is no list. */
export function lists(value: JsonValue | undefined, word: string): boolean | undefined {
  return Array.isArray(value) ? value.includes(word) : undefined
}

/** The value at a place inside of objects. */
export function at(entry: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = entry
  for (const name of path) value = isJsonObject(value) ? value[name] : undefined
  return value
}
