/** What of the Anthropic API services lack that are not Anthropic's. */
import type { ServiceFeature } from '../core/dialect.ts'

export const ANTHROPIC_FEATURES: readonly ServiceFeature[] = [
  'tool-search',
  'web-search',
  'attribution',
]
