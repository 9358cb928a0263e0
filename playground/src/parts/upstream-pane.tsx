/** What a provider sent: the bytes, or what the model wrote in them. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask } from '../work/ask.ts'
import { Pane } from './pane.tsx'

interface UpstreamPaneProps {
  readonly title: string
  readonly body: string
  /** The dialect of the body, when it is known. */
  readonly dialect: string | undefined
  readonly first: View
  readonly empty: string
}

type View = 'text' | 'bytes'

const VIEWS: readonly (readonly [view: View, name: string])[] = [
  ['text', 'Text'],
  ['bytes', 'Bytes'],
]

export function UpstreamPane({ title, body, dialect, first, empty }: UpstreamPaneProps) {
  const view = useSignal(first)
  const text = useSignal('')
  useEffect(() => {
    let isWanted = true
    void textIn(body, dialect).then((found) => {
      if (isWanted) text.value = found
    })
    return () => {
      isWanted = false
    }
  }, [body, dialect, text])
  // Without a text there is nothing to choose: an error, or a reply that is all calls.
  const shown = text.value === '' ? 'bytes' : view.value
  const choice = text.value !== '' && (
    <fieldset class="views" aria-label={`How to show: ${title}`}>
      {VIEWS.map(([one, name]) => (
        <button
          key={one}
          type="button"
          class="ghost small"
          aria-pressed={shown === one}
          onClick={() => {
            view.value = one
          }}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
  return (
    <Pane
      title={title}
      text={shown === 'text' ? text.value : body}
      empty={empty}
      note={choice}
      class={`is-${shown}`}
    />
  )
}

async function textIn(body: string, dialect: string | undefined): Promise<string> {
  if (body === '' || dialect === undefined) return ''
  try {
    return await ask('replyText', body, dialect)
  } catch {
    return ''
  }
}
