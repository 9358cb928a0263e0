/** What the page can do, and its keys. */
import { useEffect, useRef } from 'preact/hooks'
import { isHelpOpen, SHORTCUTS } from './shortcuts.ts'

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = isHelpOpen.value
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    // The browser closes it on Escape, and gives the focus back.
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={() => {
        isHelpOpen.value = false
      }}
    >
      <form method="dialog" class="help-head">
        <h2 id="help-title">Help</h2>
        <button type="submit" class="ghost">
          Close
        </button>
      </form>
      <p>
        The page runs Toolglot itself. What you paste into Extract and Convert stays in your
        browser; Try and Traffic talk to the gateway that serves the page, and to nobody else.
      </p>
      <h3>Keys</h3>
      <dl class="keys">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>←</kbd>
            <kbd>→</kbd>
          </dt>
          <dd>move between tabs, when one has the focus</dd>
        </div>
        <div>
          <dt>
            <kbd>Ctrl</kbd>
            <kbd>Enter</kbd>
          </dt>
          <dd>send, in Try</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>close this help; stop a reply, in Try</dd>
        </div>
      </dl>
      <h3>Links</h3>
      <p>
        The address holds what the tab was given, compressed. <em>Copy link</em> shares it; keys,
        conversations and traffic are never in it.
      </p>
    </dialog>
  )
}
