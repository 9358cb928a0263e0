/** Traffic: requests as they pass through, the provider's bytes against the client's. */
import { useEffect } from 'preact/hooks'
import type {
  TrafficAttempt,
  TrafficEntry,
  TrafficSummary,
} from '../../../src/gateway/observe/traffic.ts'
import type { Outcome } from '../../../src/gateway/observer.ts'
import { isKeyMissing, key, settings } from '../gateway/access.ts'
import { currentTab } from '../page-state.ts'
import { GatewayGate } from '../parts/gateway-gate.tsx'
import { Pane } from '../parts/pane.tsx'
import { UpstreamPane } from '../parts/upstream-pane.tsx'
import { UsagePanel } from '../parts/usage-panel.tsx'
import { ask } from '../work/ask.ts'
import { showSource } from './convert-state.ts'
import { showReply } from './extract-state.ts'
import {
  connection,
  entry,
  entryProblem,
  exchanges,
  refusal,
  selected,
  watchTraffic,
} from './traffic-state.ts'

export function TrafficTab() {
  return (
    <GatewayGate>
      <Traffic />
    </GatewayGate>
  )
}

function Traffic() {
  const used = key.value
  const known = settings.value
  const isRecorded = typeof known === 'object' && known.traffic
  const isWatched = isRecorded && !isKeyMissing()
  useEffect(() => (isWatched ? watchTraffic() : undefined), [isWatched, used])
  if (!isRecorded) return <p class="empty notice">This gateway does not record its traffic.</p>
  if (!isWatched) return <p class="empty notice">Enter a key that may see the traffic.</p>
  if (connection.value === 'refused') return <p class="empty is-issue">{refusal.value}</p>
  return (
    <>
      <UsagePanel />
      <div class="split is-traffic">
        <ExchangeList />
        <Details />
      </div>
    </>
  )
}

const STATES = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Connection lost; trying again',
  refused: 'Refused',
} as const

function ExchangeList() {
  const count = exchanges.value.length
  return (
    <section class="panel exchanges" aria-label="Requests">
      <header class="panel-head">
        <h2 class="panel-title">Requests</h2>
        <span class={`chip is-${connection.value}`} role="status">
          {STATES[connection.value]}
        </span>
      </header>
      {count === 0 ? (
        <p class="empty">Nothing yet. Send a request, in Try for instance.</p>
      ) : (
        <ul class="exchange-list">
          {exchanges.value.map((exchange) => (
            <li key={exchange.id}>
              <Exchange exchange={exchange} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Exchange({ exchange }: { readonly exchange: TrafficSummary }) {
  const { id, at, method, path, model, provider, outcome } = exchange
  const formats = [...new Set(outcome?.rescues.map(({ protocol }) => protocol))]
  return (
    <button
      type="button"
      class="exchange"
      aria-pressed={selected.value === id}
      onClick={() => {
        selected.value = id
      }}
    >
      <span class="exchange-line">
        <Status exchange={exchange} />
        <span class="exchange-path">
          {method} {path}
        </span>
        <span class="exchange-time">{timeOf(at)}</span>
      </span>
      <span class="exchange-line is-second">
        <span class="exchange-model">{model ?? 'no model'}</span>
        {provider !== undefined && <span>{provider}</span>}
        <span>{durationOf(exchange)}</span>
        {formats.map((format) => (
          <span key={format} class="chip is-rescue">
            {format}
          </span>
        ))}
      </span>
    </button>
  )
}

function Status({ exchange: { outcome } }: { readonly exchange: TrafficSummary }) {
  const isBad = outcome !== undefined && (outcome.error !== undefined || outcome.status >= 400)
  return (
    <span class={isBad ? 'status is-bad' : 'status'} title={outcome?.message}>
      {outcome?.status ?? '…'}
    </span>
  )
}

function durationOf({ outcome }: TrafficSummary): string {
  if (!outcome) return 'under way'
  const { durationMs } = outcome
  return durationMs < SECOND
    ? `${Math.round(durationMs)} ms`
    : `${(durationMs / SECOND).toFixed(1)} s`
}

const SECOND = 1_000

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB')
}

function Details() {
  const shown = entry.value
  if (selected.value === undefined) {
    return (
      <p class="empty notice">
        Choose a request to see what the provider sent and what the client got.
      </p>
    )
  }
  if (entryProblem.value !== undefined) return <p class="empty is-issue">{entryProblem.value}</p>
  if (shown?.id !== selected.value) return <p class="empty">Loading …</p>
  return <Exchanged shown={shown} />
}

function Exchanged({ shown }: { readonly shown: TrafficEntry }) {
  const { request, upstreamRequest, upstreamReply, reply, attemptList, dialect, outcome } = shown
  return (
    <div class="column">
      <header class="details-head">
        <Attempts attempts={attemptList} />
        {dialect !== undefined && upstreamReply.text !== '' && (
          <Bridges body={upstreamReply.text} dialect={dialect} />
        )}
      </header>
      {outcome && <Result outcome={outcome} />}
      <div class="sides">
        <UpstreamPane
          title="From the provider"
          body={upstreamReply.text}
          dialect={dialect}
          first="bytes"
          empty="No bytes"
        />
        <Pane title="To the client" text={reply.text} empty="No bytes" class="is-bytes" />
        <Pane title="Request of the client" text={pretty(request.text)} empty="No body" />
        <Pane
          title="Request to the provider"
          text={pretty(upstreamRequest.text)}
          empty="The same, or not known"
        />
      </div>
      {[request, upstreamRequest, upstreamReply, reply].some(({ isCut }) => isCut) && (
        <p class="hint">Not all of it was kept: it is too long.</p>
      )}
    </div>
  )
}

function Attempts({ attempts }: { readonly attempts: readonly TrafficAttempt[] }) {
  return (
    <ol class="attempts" aria-label="Who was asked">
      {attempts.map(({ provider, model, dialect, lane, error }, at) => (
        <li key={at}>
          <strong>
            {provider}/{model}
          </strong>{' '}
          <span class="meaning">
            {dialect}, {LANES[lane]}
          </span>
          {error !== undefined && <span class="chip is-issue">{error}</span>}
        </li>
      ))}
    </ol>
  )
}

const LANES = { pass: 'passed through', translate: 'translated' } as const

function Bridges({ body, dialect }: { readonly body: string; readonly dialect: string }) {
  return (
    <div class="details-actions">
      <button type="button" class="small" onClick={() => void openInExtract(body, dialect)}>
        Open in Extract
      </button>
      <button type="button" class="small" onClick={() => openInConvert(body, dialect)}>
        Open in Convert
      </button>
    </div>
  )
}

/** What went wrong, and what was put right. */
function Result({ outcome }: { readonly outcome: Outcome }) {
  const { error, message, rescues, issues } = outcome
  if (error === undefined && rescues.length + issues.length === 0) return null
  return (
    <ul class={error === undefined ? 'outcome' : 'outcome is-bad'}>
      {error !== undefined && (
        <li>
          <code>{error}</code> {message}
        </li>
      )}
      {rescues.map(({ tool, protocol, repairs }, at) => (
        <li key={at}>
          <code>{tool}</code> read from <code>{protocol}</code>
          {repairs.length > 0 && `, repaired: ${repairs.join(', ')}`}
        </li>
      ))}
      {issues.length > 0 && <li>Issues: {issues.join(', ')}</li>}
    </ul>
  )
}

/** JSON with line breaks; anything else as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function openInExtract(upstream: string, dialect: string): Promise<void> {
  showReply(await ask('replyText', upstream, dialect))
  currentTab.value = 'extract'
}

function openInConvert(upstream: string, dialect: string): void {
  showSource(upstream, dialect)
  currentTab.value = 'convert'
}
