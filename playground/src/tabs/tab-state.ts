/** The tabs by name, and what each of them shares. */
import type { Shareable } from '../shared-fields.ts'
import { convertShare } from './convert-state.ts'
import { extractShare } from './extract-state.ts'
import { trafficShare } from './traffic-state.ts'
import { tryShare } from './try-state.ts'

export const TAB_IDS = ['extract', 'convert', 'try', 'traffic'] as const
export type TabId = (typeof TAB_IDS)[number]

export const shareables: Readonly<Record<TabId, Shareable>> = {
  extract: extractShare,
  convert: convertShare,
  try: tryShare,
  traffic: trafficShare,
}

export function isTabId(id: string): id is TabId {
  return TAB_IDS.some((known) => known === id)
}
