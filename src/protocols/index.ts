/** The registry: one line for each protocol. */
export { hermes } from './hermes.ts'
export { textTagged } from './text-tagged.ts'
export { xmlAttributes } from './xml-attributes.ts'
