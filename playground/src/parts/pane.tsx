/** A text to read, with a title and a button to copy it. */
import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy-button.tsx'

interface PaneProps {
  readonly title: string
  readonly text: string
  /** Said where there is no text. */
  readonly empty?: string
  readonly note?: ComponentChildren
  readonly class?: string
}

/** Longer texts are cut for the eye; the button copies all of it. */
const SHOWN_LENGTH = 200_000

export function Pane({ title, text, empty = 'Nothing', note, class: more = '' }: PaneProps) {
  return (
    <section class={`panel pane ${more}`} aria-label={title}>
      <header class="panel-head">
        <h3 class="panel-title">{title}</h3>
        {note}
        {text !== '' && <CopyButton text={() => text} />}
      </header>
      {text === '' ? (
        <p class="empty">{empty}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre class="code pane-text" tabIndex={0}>
          {shorten(text)}
        </pre>
      )}
    </section>
  )
}

function shorten(text: string): string {
  if (text.length <= SHOWN_LENGTH) return text
  const left = (text.length - SHOWN_LENGTH).toLocaleString('en')
  return `${text.slice(0, SHOWN_LENGTH)}\n… ${left} more characters`
}
