/** A labelled check box. */
import type { Signal } from '@preact/signals'

export function Switch({
  label,
  value,
}: {
  readonly label: string
  readonly value: Signal<boolean>
}) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked
        }}
      />
      <span>{label}</span>
    </label>
  )
}
