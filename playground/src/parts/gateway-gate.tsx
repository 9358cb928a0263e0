/** What needs a gateway is shown only when there is one; when it wants a key, that is asked for. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { key, loadSettings, setKey, settings } from '../gateway/access.ts'

export function GatewayGate({ children }: { readonly children: ComponentChildren }) {
  useEffect(() => void loadSettings(), [])
  const found = settings.value
  if (found === undefined) return <p class="empty">Asking the gateway …</p>
  if (found === 'absent') return <NoGateway />
  return (
    <>
      {found.needsKey && <KeyField />}
      {children}
    </>
  )
}

function NoGateway() {
  return (
    <div class="empty notice">
      <p>
        <strong>No gateway answers here.</strong>
      </p>
      <p>
        This view talks to the gateway that serves the page. Start one with <code>npm start</code>{' '}
        and open the address it prints.
      </p>
    </div>
  )
}

function KeyField() {
  return (
    <label class="field key-field">
      <span class="field-label">Key of the gateway</span>
      <input
        type="password"
        autocomplete="off"
        value={key.value}
        onChange={({ currentTarget }) => setKey(currentTarget.value.trim())}
      />
      <span class="hint">Kept in this window only.</span>
    </label>
  )
}
