/**
 * The model of the examples: a real one when `TOOLGLOT_MODEL` names it, as in `ollama/qwen3`; otherwise one
 * that says what its script tells it to, so that the examples run anywhere and nothing leaves the machine.
 */
import process from 'node:process'
import { type ChatClient, createClient } from 'toolglot/client'
import type { Protocol } from 'toolglot/core'
import { type Script, scriptedModel } from 'toolglot/testing'

export function model(script: Script, protocol?: Protocol): ChatClient {
  const name = process.env['TOOLGLOT_MODEL']
  if (!name) return scriptedModel(script, { protocol })
  const [provider = '', ...rest] = name.split('/')
  const toolMode = protocol ? 'text' : 'auto'
  return createClient({ provider, model: rest.join('/'), toolMode, protocol })
}
