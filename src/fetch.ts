/**
 * A `fetch` that mends what servers get wrong about tool calls, for clients that are not ours.
 *
 * @module
 */

export type { MendingOptions } from './client/rescue-fetch/mending.ts'
export {
  type FetchLike,
  type Rescue,
  type RescueIssue,
  type RescueOptions,
  rescueFetch,
} from './client/rescue-fetch.ts'
