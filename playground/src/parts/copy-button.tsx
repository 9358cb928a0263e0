/** A button that copies, and says so. */
import { useSignal } from '@preact/signals'

interface CopyButtonProps {
  readonly text: () => string | Promise<string>
  readonly label?: string
  readonly done?: string
  readonly class?: string
}

const SHOWN_MS = 2_000

export function CopyButton({
  text,
  label = 'Copy',
  done = 'Copied',
  class: className = 'ghost small',
}: CopyButtonProps) {
  const said = useSignal('')

  async function copy(): Promise<void> {
    said.value = (await toClipboard(await text())) ? done : 'Cannot copy here'
    setTimeout(() => {
      said.value = ''
    }, SHOWN_MS)
  }

  return (
    <button type="button" class={`copy ${className}`} onClick={() => void copy()}>
      {/* Both take their place, so that nothing moves when one gives way to the other. */}
      <span class={said.value === '' ? '' : 'invisible'}>{label}</span>
      <span class="copy-done" role="status">
        {said.value}
      </span>
    </button>
  )
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
