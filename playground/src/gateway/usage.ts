/** What clients have used, as the gateway reports it. */
import { signal } from '@preact/signals'
import type { UsageRow } from '../../../src/gateway/usage-book.ts'
import { askGateway, messageOf } from './access.ts'

/** Undefined until it is known; a text says why it is not. */
export const usage = signal<readonly UsageRow[] | string | undefined>()

export async function loadUsage(): Promise<void> {
  try {
    const { models }: { models: UsageRow[] } = await (await askGateway('usage')).json()
    usage.value = models
  } catch (error) {
    usage.value = messageOf(error)
  }
}
