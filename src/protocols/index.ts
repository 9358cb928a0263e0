/** The registry: one line for each protocol. */
export { textTagged } from './text-tagged.ts'
