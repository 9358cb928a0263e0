/** Packages that read broken or unfinished JSON, each asked the way its documentation shows. */
import { parse as parseRelaxed } from '@ai-sdk-tool/parser/rjson'
import { repairJson as toolsyccRepair } from '@toolsycc/json-repair'
import { disableErrorLogging, parse as parseBestEffort } from 'best-effort-json-parser'
import json5 from 'json5'
import { parse as parseJsonc } from 'jsonc-parser'
import { Jsonic } from 'jsonic'
import { jsonrepair } from 'jsonrepair'
import { repairJsonOrThrow } from 'llm-json-repair'
import { parse as parsePartial } from 'partial-json'

export interface JsonLibrary {
  readonly name: string
  /** Throws when it gives up. */
  parse(text: string): unknown
}

disableErrorLogging()

export const JSON_LIBRARIES: readonly JsonLibrary[] = [
  { name: 'jsonrepair + JSON.parse', parse: (text) => JSON.parse(jsonrepair(text)) },
  { name: 'llm-json-repair', parse: (text) => repairJsonOrThrow(text) },
  { name: 'best-effort-json-parser', parse: (text) => parseBestEffort(text) },
  { name: 'partial-json', parse: (text) => parsePartial(text) },
  { name: 'jsonc-parser', parse: (text) => parseJsonc(text) },
  { name: 'json5', parse: (text) => json5.parse(text) },
  { name: 'jsonic', parse: (text) => Jsonic(text) },
  { name: '@ai-sdk-tool/parser, rjson', parse: (text) => parseRelaxed(text) },
  {
    name: '@toolsycc/json-repair',
    parse: (text) => toolsyccRepair(text, { returnObject: true, logging: false }),
  },
]
