/** The row of tabs: one stop for the Tab key, arrows within. */
import { currentTab } from '../page-state.ts'
import { TAB_IDS, type TabId } from './tab-state.ts'

const TITLES: Readonly<Record<TabId, string>> = {
  extract: 'Extract',
  convert: 'Convert',
  try: 'Try',
  traffic: 'Traffic',
}

export function TabList() {
  return (
    <div class="tab-list" role="tablist" aria-label="Views" onKeyDown={moveByKey}>
      {TAB_IDS.map((id) => (
        <button
          key={id}
          type="button"
          id={`tab-${id}`}
          class="tab"
          role="tab"
          aria-selected={currentTab.value === id}
          aria-controls={`panel-${id}`}
          tabIndex={currentTab.value === id ? 0 : -1}
          onClick={() => {
            currentTab.value = id
          }}
        >
          {TITLES[id]}
        </button>
      ))}
    </div>
  )
}

function moveByKey(event: KeyboardEvent): void {
  const at = TAB_IDS.indexOf(currentTab.peek())
  const target = targetOf(event.key, at)
  if (target === undefined) return
  event.preventDefault()
  currentTab.value = target
  document.getElementById(`tab-${target}`)?.focus()
}

function targetOf(key: string, at: number): TabId | undefined {
  switch (key) {
    case 'ArrowRight':
      return TAB_IDS[(at + 1) % TAB_IDS.length]
    case 'ArrowLeft':
      return TAB_IDS.at(at - 1)
    case 'Home':
      return TAB_IDS[0]
    case 'End':
      return TAB_IDS.at(-1)
    default:
      return undefined
  }
}
