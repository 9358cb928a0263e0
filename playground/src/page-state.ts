/** The address of the page: `#tab`, or `#tab/state`. It follows what is typed, and can be shared. */
import { effect, signal } from '@preact/signals'
import { packState, unpackState } from './share-link.ts'
import { sharedFields } from './shared-fields.ts'
import { isTabId, shareables, type TabId } from './tabs/tab-state.ts'

export const currentTab = signal<TabId>('extract')

const PAUSE_MS = 400
/** Longer states are put into a link when asked, but not into the address on each change. */
const MAX_ADDRESS = 8_000

/** Takes the state from the address, now and whenever it changes, and keeps it there. */
export async function followLocation(): Promise<void> {
  await takeState()
  addEventListener('hashchange', () => void takeState())
  effect(() => {
    const tab = currentTab.value
    const state = shareables[tab].read()
    const timer = setTimeout(() => void keepState(tab, state), PAUSE_MS)
    return () => clearTimeout(timer)
  })
}

/** A link to what is shown now. */
export async function currentLink(): Promise<string> {
  const tab = currentTab.peek()
  const url = new URL(location.href)
  url.hash = `${tab}/${await packState(shareables[tab].read())}`
  return url.href
}

async function takeState(): Promise<void> {
  const [tab = '', packed] = location.hash.slice(1).split('/')
  if (!isTabId(tab)) return
  if (packed !== undefined) {
    const state = await unpackState(packed)
    if (state !== undefined) shareables[tab].write(sharedFields(state))
  }
  currentTab.value = tab
}

async function keepState(tab: TabId, state: object): Promise<void> {
  const packed = await packState(state)
  const hash = packed.length > MAX_ADDRESS ? `#${tab}` : `#${tab}/${packed}`
  if (currentTab.peek() === tab && location.hash !== hash) history.replaceState(null, '', hash)
}
