/** Where in the reply something stands; a click selects it there. */
import type { Span } from '../../../src/core/issue.ts'
import { selectInEditor } from './marked-editor.tsx'

export interface PlaceProps {
  readonly span: Span
  /** `line:column` of a character. */
  readonly locate: (offset: number) => string
}

export function Place({ span: [start, end], locate }: PlaceProps) {
  const place = `${locate(start)}–${locate(end)}`
  return (
    <button
      type="button"
      class="place"
      aria-label={`Select ${place} in the reply`}
      title="Select it in the reply"
      onClick={() => selectInEditor(start, end)}
    >
      {place}
    </button>
  )
}
