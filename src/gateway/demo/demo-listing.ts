/** Which demo models are listed. All of them can be asked at any time, unless they are switched off. */
import type { GatewayConfig } from '../config.ts'
import { listDemoModels } from './demo-models.ts'

export const DEMO_LISTINGS = ['none', 'few', 'all'] as const

export type DemoListing = (typeof DEMO_LISTINGS)[number]

/** One of each kind: calls in the most common formats, damaged ones, and calls as they should be. */
const FEW: readonly string[] = ['hermes', 'hermes:broken', 'qwen3-coder', 'harmony', 'native']

/** Demo models are for a gateway that has nothing else, unless the configuration asks for them. */
export function usualDemoListing({ demo }: GatewayConfig, hasOthers: boolean): DemoListing {
  if (demo === 'all') return 'all'
  return demo === true || !hasOthers ? 'few' : 'none'
}

/** Without `demo/`. */
export function demoNames(listing: DemoListing): readonly string[] {
  if (listing === 'none') return []
  return listing === 'few' ? FEW : listDemoModels().map(({ id }) => id)
}
