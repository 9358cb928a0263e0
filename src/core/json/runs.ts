/**
 * Stretches of members that need no judgement, in one match each: a document with one flaw per
 * line is still clean for the most part, and a regular expression reads such parts many times
 * faster than the machine does.
 *
 * Only a shortcut: a run is what the machine would read as it stands, or rewrite in one way. All
 * repetition of more than single characters is bounded, and no text matches in two ways.
 */

/** One way to write keys, strings and space. */
export interface RunStyle {
  /** Members with their commas, before another key. */
  readonly members: RegExp
  /** An object and the comma behind it. */
  readonly object: RegExp
  /** The run as JSON; undefined when it is JSON already. */
  readonly rewrite: ((run: string) => string) | undefined
}

/** The styles a reader may use. */
export interface Runs {
  readonly plain: RunStyle
  readonly single: RunStyle
  readonly smart: RunStyle
  readonly bareKey: RunStyle
  readonly commented: RunStyle
}

const BLANK = '[ \\n\\r\\t]{0,64}'
const NUMBER = '-?(?:0|[1-9]\\d{0,15})(?:\\.\\d{1,17})?'

function createStyle(
  string: string,
  key: string,
  blank: string,
  rewrite: RunStyle['rewrite'],
  itemString: string = string,
): RunStyle {
  const scalar = `${NUMBER}|true|false|null`
  const item = `(?:${itemString}|${scalar})${blank}`
  const array = `\\[${blank}(?:(?:${item},${blank}){0,63}${item})?\\]`
  const member = `${blank}${key}:${blank}(?:${string}|${scalar}|${array})${blank}`
  return {
    members: new RegExp(`(?:${member},){1,64}(?=${blank}${key}:)`, 'y'),
    object: new RegExp(`\\{(?:${member},){0,63}${member}\\}${blank},`, 'y'),
    rewrite,
  }
}

function quotedBy(open: string, close: string, excluded: string): string {
  return `${open}[^${excluded}\\\\\\x00-\\x1f]*${close}`
}

const DOUBLE = quotedBy('"', '"', '"')
const SINGLE = quotedBy("'", "'", `'"`)
const SMART = quotedBy('“', '”', '“”„‟"')

const plain: RunStyle = createStyle(DOUBLE, DOUBLE, BLANK, undefined)
const single: RunStyle = createStyle(SINGLE, SINGLE, BLANK, (run) => run.replace(/'/g, '"'))
const smart: RunStyle = createStyle(SMART, SMART, BLANK, (run) => run.replace(/[“”]/g, '"'))

const BARE_KEY = '[A-Za-z_$][\\w$]*'
// The strings of an array have no colon, so that none of their words is taken for a key.
const BARE_MEMBER = /([A-Za-z_$][\w$]*):([ \n\r\t]*"[^"]*")?/g
const quoteKeys = (run: string): string => run.replace(BARE_MEMBER, '"$1":$2')
const bareKey: RunStyle = createStyle(DOUBLE, BARE_KEY, BLANK, quoteKeys, quotedBy('"', '"', '":'))

// Strings that seem to have a comment in them are left to the machine.
const UNCOMMENTED = '"[^"\\\\/\\x00-\\x1f]*(?:/(?![/*])[^"\\\\/\\x00-\\x1f]*){0,64}"'
const COMMENTED = '(?:[ \\n\\r\\t]|//[^\\n]*\\n|/\\*[^*]*\\*/){0,64}'
const COMMENT = /\/\/[^\n]*|\/\*[^*]*\*\//g
const commented: RunStyle = createStyle(UNCOMMENTED, UNCOMMENTED, COMMENTED, (run) =>
  run.replace(COMMENT, ''),
)

/** All styles: for whoever repairs whole documents, where they are worth their size. */
export const RUNS: Runs = { plain, single, smart, bareKey, commented }
