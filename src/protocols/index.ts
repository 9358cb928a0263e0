/** The registry: one line for each protocol. */
export { bracket } from './bracket.ts'
export { functionPattern } from './function-pattern.ts'
export { hermes } from './hermes.ts'
export { jsonShim } from './json-shim.ts'
export { rawJson } from './raw-json.ts'
export { textTagged } from './text-tagged.ts'
export { xmlAttributes } from './xml-attributes.ts'
