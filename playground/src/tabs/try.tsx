/** Try: a conversation with a model, what it wrote beside what the client got. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ToolCall } from '../../../src/core/model.ts'
import { asText, resultOf } from '../conversation/canned-results.ts'
import { TurnView } from '../conversation/turn-view.tsx'
import { key } from '../gateway/access.ts'
import { GatewayGate } from '../parts/gateway-gate.tsx'
import { JsonField } from '../parts/json-field.tsx'
import { Switch } from '../parts/switch.tsx'
import {
  answerCalls,
  canned,
  cannedResults,
  findModels,
  isAutomatic,
  isRunning,
  isStreamed,
  model,
  models,
  modelsProblem,
  openCalls,
  prompt,
  send,
  setTools,
  startOver,
  stop,
  tools,
  toolsText,
  turns,
} from './try-state.ts'

export function TryTab() {
  return (
    <GatewayGate>
      <div class="split is-chat">
        <div class="column">
          <ModelField />
          <div class="controls">
            <Switch label="Stream" value={isStreamed} />
            <Switch label="Answer calls with canned results" value={isAutomatic} />
          </div>
          <JsonField
            title="Tools"
            hint="Offered to the model, in any provider's spelling."
            value={toolsText.value}
            onInput={setTools}
            problem={tools.value.problem}
          />
          <JsonField
            title="Canned results"
            hint="By the name of the tool. Without one, the result is asked for."
            value={canned.value}
            onInput={(text) => {
              canned.value = text
            }}
            problem={cannedResults.value.problem}
          />
        </div>
        <div class="column">
          <Conversation />
          <Answers calls={openCalls.value} key={turns.value.length} />
          <Composer />
        </div>
      </div>
    </GatewayGate>
  )
}

function ModelField() {
  const used = key.value
  useEffect(() => void findModels(), [used])
  return (
    <label class="field">
      <span class="field-label">Model</span>
      <input
        list="models"
        spellcheck={false}
        autocomplete="off"
        value={model.value}
        onInput={({ currentTarget }) => {
          model.value = currentTarget.value
        }}
      />
      <datalist id="models">
        {models.value.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <span class={modelsProblem.value === undefined ? 'hint' : 'hint is-issue'}>
        {modelsProblem.value ?? `${models.value.length} to choose from, or type another`}
      </span>
    </label>
  )
}

function Conversation() {
  const end = useRef<HTMLDivElement>(null)
  const count = turns.value.length
  useEffect(() => {
    if (count > 0) end.current?.scrollIntoView({ block: 'nearest' })
  }, [count])
  if (count === 0) {
    return (
      <p class="empty notice">
        Ask something. What the provider sent stands beside what a client gets, so that you can see
        which calls were written as text and read out of it.
      </p>
    )
  }
  return (
    <div class="conversation" role="log" aria-label="Conversation">
      {turns.value.map((turn, at) => (
        <TurnView key={at} turn={turn} />
      ))}
      <div class="conversation-end" ref={end} />
    </div>
  )
}

/** Results for calls that have none: typed by whoever sits there. */
function Answers({ calls }: { readonly calls: readonly ToolCall[] }) {
  const { byTool } = cannedResults.value
  const typed = useSignal<Readonly<Record<string, string>>>({})
  if (calls.length === 0) return null
  const textFor = ({ id, name }: ToolCall): string =>
    typed.value[id] ?? (Object.hasOwn(byTool, name) ? asText(byTool[name]) : '')

  function submit(event: Event): void {
    event.preventDefault()
    void answerCalls(calls.map((call) => resultOf(call, textFor(call))))
  }

  return (
    <form class="panel answers" onSubmit={submit} aria-label="Results of the calls">
      {calls.map((call) => (
        <label key={call.id} class="field">
          <span class="field-label">
            Result of <code>{call.name}</code>
          </span>
          <textarea
            class="code"
            rows={2}
            value={textFor(call)}
            onInput={({ currentTarget }) => {
              typed.value = { ...typed.value, [call.id]: currentTarget.value }
            }}
          />
        </label>
      ))}
      <button type="submit">Send {calls.length === 1 ? 'the result' : 'the results'}</button>
    </form>
  )
}

function Composer() {
  function submit(event: Event): void {
    event.preventDefault()
    void send()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
    else if (event.key === 'Escape') stop()
  }

  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        aria-label="Message"
        data-main-text
        rows={2}
        placeholder="Message (Ctrl+Enter sends)"
        value={prompt.value}
        onInput={({ currentTarget }) => {
          prompt.value = currentTarget.value
        }}
        onKeyDown={onKeyDown}
      />
      <div class="composer-actions">
        {isRunning.value ? (
          <button type="button" class="is-stop" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={prompt.value.trim() === ''}>
            Send
          </button>
        )}
        <button type="button" class="ghost" onClick={startOver} disabled={turns.value.length === 0}>
          Start over
        </button>
      </div>
    </form>
  )
}
