/** The page: its head, the tabs, and the one that is open. */
import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import { catalogueProblem } from './catalogue.ts'
import { Help } from './help.tsx'
import { currentLink, currentTab } from './page-state.ts'
import { CopyButton } from './parts/copy-button.tsx'
import { handleShortcut, isHelpOpen } from './shortcuts.ts'
import { ConvertTab } from './tabs/convert.tsx'
import { ExtractTab } from './tabs/extract.tsx'
import { TabList } from './tabs/tab-list.tsx'
import { TAB_IDS, type TabId } from './tabs/tab-state.ts'
import { TrafficTab } from './tabs/traffic.tsx'
import { TryTab } from './tabs/try.tsx'
import { theme, toggleTheme } from './theme.ts'

const VIEWS: Readonly<Record<TabId, FunctionComponent>> = {
  extract: ExtractTab,
  convert: ConvertTab,
  try: TryTab,
  traffic: TrafficTab,
}

export function App() {
  useEffect(() => {
    addEventListener('keydown', handleShortcut)
    return () => removeEventListener('keydown', handleShortcut)
  }, [])
  return (
    <>
      <Head />
      {catalogueProblem.value !== undefined && (
        <p class="alarm" role="alert">
          {catalogueProblem.value}
        </p>
      )}
      <main>
        {TAB_IDS.map((id) => (
          <TabPanel key={id} id={id} />
        ))}
      </main>
      <Help />
    </>
  )
}

function Head() {
  const other = theme.value === 'dark' ? 'light' : 'dark'
  return (
    <header class="head">
      <h1 class="brand">
        <span class="brand-mark" aria-hidden="true">
          ‹›
        </span>
        Toolglot <span class="brand-what">playground</span>
      </h1>
      <TabList />
      <div class="head-actions">
        <CopyButton class="ghost" text={currentLink} label="Copy link" done="Link copied" />
        <button
          type="button"
          class="ghost icon"
          onClick={toggleTheme}
          aria-label={`Use the ${other} theme`}
          title={`Use the ${other} theme`}
        >
          <span aria-hidden="true">{theme.value === 'dark' ? '☀' : '☾'}</span>
        </button>
        <button
          type="button"
          class="ghost icon"
          onClick={() => {
            isHelpOpen.value = true
          }}
          aria-label="Help and shortcuts"
          title="Help and shortcuts"
        >
          <span aria-hidden="true">?</span>
        </button>
      </div>
    </header>
  )
}

function TabPanel({ id }: { readonly id: TabId }) {
  const View = VIEWS[id]
  const isOpen = currentTab.value === id
  return (
    <section
      id={`panel-${id}`}
      class="tab-panel"
      role="tabpanel"
      aria-labelledby={`tab-${id}`}
      hidden={!isOpen}
    >
      {isOpen && <View />}
    </section>
  )
}
