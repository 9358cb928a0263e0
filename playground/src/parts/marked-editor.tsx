/**
 * A text to edit, with what became of it drawn over it: a copy of the text lies above, see-through but
 * for its marks. Both are as high as the text and scroll together.
 */
import { memo } from 'preact/compat'
import type { Mark } from '../work/marks.ts'

interface MarkedEditorProps {
  readonly label: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly marks: readonly Mark[]
  readonly placeholder?: string
}

/** Browsers lay out longer texts too slowly to do it twice on each key. */
export const MARKED_LENGTH = 100_000

export function MarkedEditor({
  label,
  value,
  onInput,
  marks,
  placeholder = '',
}: MarkedEditorProps) {
  const isMarked = value.length <= MARKED_LENGTH
  return (
    <div class={isMarked ? 'editor' : 'editor is-plain'}>
      <div class="editor-page">
        <textarea
          id={EDITOR_ID}
          class="code"
          aria-label={label}
          data-main-text
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
          onPaste={(event) => pasteAtOnce(event, onInput)}
        />
        {isMarked && (
          <pre class="code editor-marks" aria-hidden="true">
            <Marked text={value} marks={marks} />
            {/* A line break at the end has no height of its own here. */}
            {'\n'}
          </pre>
        )}
      </div>
    </div>
  )
}

/** Browsers insert a long text line by line, and lay it out each time. */
function pasteAtOnce(event: ClipboardEvent, onInput: (value: string) => void): void {
  const text = event.clipboardData?.getData('text/plain') ?? ''
  const field = event.currentTarget
  if (text.length <= MARKED_LENGTH || !(field instanceof HTMLTextAreaElement)) return
  event.preventDefault()
  const { value, selectionStart, selectionEnd } = field
  onInput(value.slice(0, selectionStart) + text + value.slice(selectionEnd))
}

const EDITOR_ID = 'reply-text'

// Marks belong to the text they were made for: while somebody types, the rest stays unmarked.
const Marked = memo(
  ({ text, marks }: { readonly text: string; readonly marks: readonly Mark[] }) => {
    const behind = marks.at(-1)?.end ?? 0
    return (
      <>
        {marks.map((mark) => (
          <MarkedSpan
            key={`${mark.start}${mark.kind}`}
            mark={mark}
            text={text.slice(mark.start, mark.end)}
          />
        ))}
        {text.slice(behind)}
      </>
    )
  },
)

function MarkedSpan({ mark, text }: { readonly mark: Mark; readonly text: string }) {
  if (mark.kind === 'text') return <>{text}</>
  return (
    <span class={`mark is-${mark.kind}`} data-start={mark.start}>
      {text}
    </span>
  )
}

/** Selects a stretch of the text and brings it into view. */
export function selectInEditor(start: number, end: number): void {
  const field = document.getElementById(EDITOR_ID)
  if (!(field instanceof HTMLTextAreaElement)) return
  field.focus({ preventScroll: true })
  field.setSelectionRange(start, end)
  const mark = document.querySelector(`.editor-marks [data-start="${start}"]`)
  ;(mark ?? field).scrollIntoView({ block: 'nearest' })
}
