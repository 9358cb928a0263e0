/** A labelled list to choose from. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly onChoose: (value: string) => void
  /** Options, when they are more than a list of words. */
  readonly children?: ComponentChildren
  readonly options?: readonly string[]
  readonly class?: string
}

export function Choice({
  label,
  value,
  onChoose,
  options = [],
  children,
  class: more = '',
}: ChoiceProps) {
  const id = useId()
  const list = useRef<HTMLSelectElement>(null)
  // The options may come later than the value.
  useLayoutEffect(() => {
    if (list.current) list.current.value = value
  })

  function choose({ currentTarget }: { readonly currentTarget: HTMLSelectElement }): void {
    const chosen = currentTarget.value
    // A choice that only starts something does not stay; any other comes back as the value.
    currentTarget.value = value
    onChoose(chosen)
  }

  return (
    <div class={`field ${more}`}>
      <label class="field-label" for={id}>
        {label}
      </label>
      <select ref={list} id={id} onChange={choose}>
        {children}
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  )
}
