/** A field for JSON, folded away until it is wanted. */
import { useId } from 'preact/hooks'

interface JsonFieldProps {
  readonly title: string
  readonly hint: string
  readonly value: string
  readonly onInput: (value: string) => void
  /** What is wrong with the value. */
  readonly problem?: string | undefined
  readonly isOpen?: boolean
}

export function JsonField({
  title,
  hint,
  value,
  onInput,
  problem,
  isOpen = false,
}: JsonFieldProps) {
  const id = useId()
  return (
    <details class="panel fold" open={isOpen}>
      <summary>
        <span class="panel-title">{title}</span>
        {problem !== undefined && <span class="chip is-issue">not usable</span>}
      </summary>
      <textarea
        id={id}
        class="code json-field"
        aria-label={title}
        aria-describedby={`${id}-hint`}
        aria-invalid={problem !== undefined}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <p id={`${id}-hint`} class={problem === undefined ? 'hint' : 'hint is-issue'}>
        {problem ?? hint}
      </p>
    </details>
  )
}
