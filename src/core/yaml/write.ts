/** Writes YAML that reads well and says the same to every reader of it. */

import type { JsonObject, JsonValue } from '../json/value.ts'
import { writeJsonInTags } from '../json/write.ts'
import { readYaml } from './read.ts'

const PLAIN_KEY = /^[A-Za-z_][\w-]*$/
/** Nothing that YAML or one of its versions takes for anything else. */
const PLAIN_TEXT = /^[A-Za-z/][\w ./@+-]*$/
const SPECIAL = /^(?:true|false|null|yes|no|on|off|y|n)$/i

/** One line for each key; texts of several lines in lines of their own. `<` appears in those only. */
export function writeYaml(object: JsonObject): string {
  return Object.entries(object)
    .map(
      ([key, value]) =>
        `${PLAIN_KEY.test(key) ? key : writeJsonInTags(key)}: ${writeValue(value)}\n`,
    )
    .join('')
}

/** What is not plain is written as JSON, which is YAML as well. */
function writeValue(value: JsonValue): string {
  if (typeof value !== 'string') return writeJsonInTags(value)
  if (PLAIN_TEXT.test(value) && value.trim() === value && !SPECIAL.test(value)) return value
  if (!value.includes('\n') || value.includes('</')) return writeJsonInTags(value)
  const isEnded = value.endsWith('\n')
  const lines = (isEnded ? value.slice(0, -1) : value).replace(/^(?=.)/gm, '  ')
  const written = `|${isEnded ? '' : '-'}\n${lines}`
  return readYaml(written) === value ? written : writeJsonInTags(value)
}
