/** One turn of a conversation. */
import { textOf } from '../../../src/core/message.ts'
import type { ToolCall } from '../../../src/core/model.ts'
import { CallCard } from '../parts/call-card.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { UpstreamPane } from '../parts/upstream-pane.tsx'
import { asText } from './canned-results.ts'
import type { CallDraft, ReplyTurn, ResultsTurn, Turn } from './turn.ts'

export function TurnView({ turn }: { readonly turn: Turn }) {
  switch (turn.kind) {
    case 'user':
      return <p class="said-by-user">{turn.text}</p>
    case 'results':
      return <Results turn={turn} />
    case 'reply':
      return <Reply turn={turn} />
  }
}

function Results({ turn }: { readonly turn: ResultsTurn }) {
  return (
    <ul class="results">
      {turn.results.map(({ callId, name, content }) => (
        <li key={callId}>
          <span class="result-name">{name}</span>
          <code>{typeof content === 'string' ? content : asText(JSON.stringify(content))}</code>
        </li>
      ))}
    </ul>
  )
}

function Reply({ turn }: { readonly turn: ReplyTurn }) {
  return (
    <div class="reply">
      <Raw turn={turn} />
      <Rescued turn={turn} />
    </div>
  )
}

function Raw({ turn: { record } }: { readonly turn: ReplyTurn }) {
  const found = typeof record === 'object' ? record : undefined
  const isWaiting = record === undefined
  return (
    <UpstreamPane
      title="Raw"
      body={found?.upstreamReply.text ?? ''}
      dialect={found?.dialect}
      first="text"
      empty={isWaiting ? 'Shown when the reply is over' : 'The gateway has no record of it'}
    />
  )
}

function Rescued({ turn }: { readonly turn: ReplyTurn }) {
  const { response, draft, problem, record } = turn
  const text = response ? textOf(response.message) : draft.text
  const reasoning = response?.message.reasoning ?? draft.reasoning
  const rescues = typeof record === 'object' ? (record.outcome?.rescues ?? []) : []
  return (
    <section class="panel pane rescued" aria-label="Rescued">
      <header class="panel-head">
        <h3 class="panel-title">Rescued</h3>
        {rescues.length > 0 && (
          <span class="chip is-rescue">
            read from {[...new Set(rescues.map(({ protocol }) => protocol))].join(', ')}
          </span>
        )}
      </header>
      {reasoning !== '' && <p class="reasoning">{reasoning}</p>}
      {text.trim() !== '' && <p class="said">{text.trim()}</p>}
      {response
        ? response.message.toolCalls?.map((call, at) => <Call key={call.id} call={call} at={at} />)
        : draft.calls.map((call, at) => <UnfinishedCall key={at} call={call} />)}
      {problem !== undefined && (
        <p class="is-issue" role="alert">
          {problem}
        </p>
      )}
      {!response && problem === undefined && <p class="hint">Waiting …</p>}
    </section>
  )
}

function Call({ call, at }: { readonly call: ToolCall; readonly at: number }) {
  return <CallCard call={call} label={`call ${at + 1}`} />
}

function UnfinishedCall({ call }: { readonly call: CallDraft }) {
  return (
    <article class="card is-call">
      <header class="card-head">
        <h4 class="card-name">{call.name}</h4>
      </header>
      <CodeBlock text={call.argumentsJson} />
    </article>
  )
}
