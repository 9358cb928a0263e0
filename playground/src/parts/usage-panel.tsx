/** Tokens and dollars by key and model, since the gateway began. */
import { useEffect } from 'preact/hooks'
import type { UsageRow } from '../../../src/gateway/usage-book.ts'
import { loadUsage, usage } from '../gateway/usage.ts'

const REFRESH_MS = 2_000

export function UsagePanel() {
  useEffect(() => {
    void loadUsage()
    const timer = setInterval(loadUsage, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const rows = usage.value
  if (typeof rows === 'string') return <p class="empty is-issue">{rows}</p>
  if (!rows || rows.length === 0) return null
  return (
    <section class="panel usage" aria-label="Usage">
      <header class="panel-head">
        <h2 class="panel-title">Usage since the gateway began</h2>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="usage-scroll" tabIndex={0}>
        <table class="usage-table">
          <thead>
            <tr>
              {HEAD.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.map(UsageLine)}</tbody>
        </table>
      </div>
    </section>
  )
}

const HEAD = ['Key', 'Model', 'Requests', 'Input tokens', 'Output tokens', 'Cost'] as const

function UsageLine(row: UsageRow) {
  const { key = '–', provider, model, requests, inputTokens, outputTokens } = row
  return (
    <tr key={`${key} ${provider}/${model}`}>
      <td>{key}</td>
      <td>
        {provider}/{model}
      </td>
      <td>{counted(requests)}</td>
      <td>{counted(inputTokens)}</td>
      <td>{counted(outputTokens)}</td>
      <td title={row.estimated > 0 ? `${row.estimated} replies are estimated` : undefined}>
        {costShown(row)}
      </td>
    </tr>
  )
}

function counted(count: number): string {
  return count.toLocaleString('en-GB')
}

function costShown({ costUsd, unpriced, requests, estimated }: UsageRow): string {
  if (unpriced === requests) return 'unknown'
  const about = estimated > 0 || unpriced > 0 ? '≈ ' : ''
  return `${about}$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`
}
