/** Keys that work anywhere on the page, except where somebody types. */
import { signal } from '@preact/signals'
import { currentTab } from './page-state.ts'
import { goTo, position } from './tabs/extract-state.ts'
import { TAB_IDS } from './tabs/tab-state.ts'
import { toggleTheme } from './theme.ts'

export const isHelpOpen = signal(false)

interface Shortcut {
  readonly keys: readonly string[]
  readonly does: string
  run(key: string): void
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['1', '2', '3', '4'], does: 'open a tab', run: openTab },
  { keys: ['/'], does: 'go to the text of the tab', run: focusText },
  { keys: ['[', ']'], does: 'one chunk back or on in the replay', run: stepReplay },
  { keys: ['t'], does: 'light or dark', run: toggleTheme },
  {
    keys: ['?'],
    does: 'this help',
    run() {
      isHelpOpen.value = true
    },
  },
]

export function handleShortcut(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (isHelpOpen.peek()) return
  const found = SHORTCUTS.find(({ keys }) => keys.includes(event.key))
  if (!found) return
  event.preventDefault()
  found.run(event.key)
}

/** Letters belong to fields, and to lists that are searched by typing. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'range'].includes(target.type)
  return target.matches('textarea, select')
}

function openTab(key: string): void {
  const tab = TAB_IDS[Number(key) - 1]
  if (!tab) return
  currentTab.value = tab
  document.getElementById(`tab-${tab}`)?.focus()
}

function focusText(): void {
  document.querySelector<HTMLElement>('[data-main-text]')?.focus()
}

function stepReplay(key: string): void {
  if (currentTab.peek() !== 'extract') return
  const at = position.peek()
  if (key === ']') goTo((at ?? -1) + 1)
  else goTo(at === undefined ? Number.POSITIVE_INFINITY : at - 1)
}
