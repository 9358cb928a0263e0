/**
 * What the text before a call says about it: that it is quoted, and not made.
 *
 *     > <tool_call>…              a quotation in Markdown
 *     The page says "<tool_call>… quotation marks that are still open
 *     <blockquote><tool_call>…    an element that quotes or shows code
 *     The page says:              a sentence that announces a quotation, before a code block
 *
 * What follows a call counts as well, and is for the engine to see: only the end of a reply shows that nothing does.
 */

/** How much of the text before a call is looked at. Chosen: a paragraph. */
export const LOOK_BACK = 1024

/** True where `before` opens a quotation and does not close it, or announces one. */
export function isSetApart(before: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1)
  return QUOTED_LINE.test(line) || isInQuotes(before) || isInElement(before) || isAnnounced(before)
}

/** The mark of a quotation, also in an item of a list. */
const QUOTED_LINE = /^[ \t]*(?:(?:[*+-]|\d{1,9}[.)])[ \t]+)?>/

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“”',
  '‘': '’',
  '«': '»',
  '「': '」',
  '『': '』',
}

/** Marks that are also parts of words, or have a reader of their own where they enclose words. */
const ONLY_MARKUP = /['`‘]/
/** What precedes a mark that opens. */
const OPENS = /[\s([{:,=]/
/** What begins markup, or the end of the text, where the marker of the call is. */
const MARKUP = /^\s*(?:$|[<[\]{|✿])/
/** What markup ends with. */
const MARKUP_END = /[>\])}]\s*$/
/** What follows the end of a string in JSON or in a program. */
const IN_DATA = /^\s*[,:}\])]/

/** A mark that encloses words closes on its line; one that encloses markup closes after markup, in its paragraph. */
function isInQuotes(before: string): boolean {
  const text = before.slice(before.trimEnd().lastIndexOf('\n\n') + 1)
  let closing: string | undefined
  let hasMarkup = false
  for (const { 0: mark, index } of text.matchAll(MARKS)) {
    if (mark === '\n') {
      hasMarkup ||= MARKUP_END.test(text.slice(Math.max(0, index - MOST_SPACE), index))
      if (!hasMarkup) closing = undefined
      continue
    }
    const after = text.slice(index + 1, index + MOST_SPACE)
    if (closing === undefined) {
      const isOpening = index === 0 || OPENS.test(text.charAt(index - 1))
      hasMarkup = MARKUP.test(after)
      if (isOpening && (hasMarkup || !ONLY_MARKUP.test(mark))) closing = CLOSING[mark]
    } else if (closing.includes(mark) && (!hasMarkup || endsMarkup(text, index, after))) {
      closing = undefined
    }
  }
  return closing !== undefined
}

const MARKS = /["'`“”„‘’«»「」『』\n]/g
/** White space between a quotation mark and what it quotes. */
const MOST_SPACE = 16

function endsMarkup(text: string, index: number, after: string): boolean {
  return MARKUP_END.test(text.slice(Math.max(0, index - MOST_SPACE), index)) && !IN_DATA.test(after)
}

const QUOTING_TAG =
  /<(\/?)(blockquote|pre|code|q|quote|cite|samp|xmp|textarea|documents?|webpage)(?:\s[^<>]{0,200})?>/gi

function isInElement(before: string): boolean {
  if (!before.includes('<')) return false
  const open: string[] = []
  for (const [, slash, tag = ''] of before.matchAll(QUOTING_TAG)) {
    const name = tag.toLowerCase()
    if (slash === '') open.push(name)
    else if (open.includes(name)) open.length = open.lastIndexOf(name)
  }
  return open.length > 0
}

/** True at the beginning of an indented code block: after a blank line, below other text. */
export function isIndentedCode(before: string): boolean {
  return /\S[^\S\n]*\n[^\S\n]*\n(?:[^\S\n]*\n)*(?: {4,}|\t[ \t]*)$/.test(before.slice(-INDENTED))
}

/** Blank lines and indentation before code, with the last character before them. */
const INDENTED = 128

/** True where the last sentences before a code block say that others wrote it, or that it will not be done. */
export function announcesQuotation(before: string): boolean {
  const paragraph =
    before
      .trimEnd()
      .split(/\n[^\S\n]*\n/)
      .at(-1) ?? ''
  // Another block says nothing about this one.
  if (/(?:`{3}|~{3})$/.test(paragraph)) return false
  const lead = paragraph.slice(-LEAD)
  return ANNOUNCEMENTS.some((announcement) => announcement.test(lead))
}

/** The same right before a call that no mark sets apart: only with a colon after which nothing but markup comes. */
function isAnnounced(before: string): boolean {
  const lead = before.slice(-LEAD)
  for (let at = lead.length; at > 0; ) {
    at = Math.max(lead.lastIndexOf(':', at - 1), lead.lastIndexOf('：', at - 1))
    if (at === -1) break
    const rest = lead.slice(at + 1).replace(BULLET, '')
    const isMarkup = MARKUP.test(rest) && !WORDS.test(rest)
    if (isMarkup && ATTRIBUTION.test(lead.slice(0, at).replace(EARLIER, ''))) return true
  }
  return false
}

/** An item of a list. */
const BULLET = /^\s*(?:[*+-]|\d{1,9}[.)])[ \t]+/
/** Earlier sentences. */
const EARLIER = /^[\s\S]*[.!?\n]/
const WORDS = /\p{L} +\p{L}/u

/** Somebody else says it. */
const ATTRIBUTION =
  /\b(?:page|site|website|file|document|message|e-?mail|text|result|output|comment|it|he|she|they|there|user|note|article|instructions?)\b.{0,40}\b(?:says?|said|reads|states|stated|contain(?:s|ed)|wrote|written|instruct(?:s|ed)|claim(?:s|ed)|quot(?:es|ed)|includ(?:es|ed))\b/i

/** How much of a paragraph introduces what follows it. Chosen: two sentences. */
const LEAD = 240

/**
 * A guess, of the languages that models mostly write; it decides only about a code block that ends a reply. A lead that
 * is not recognized makes no call of text that occurred before in the conversation: see `heard.ts`.
 */
const ANNOUNCEMENTS: readonly RegExp[] = [
  // Somebody else says it.
  /\b(?:says?|said|reads|states?|stated|contain(?:s|ed|ing)?|wrote|written|tells?|told|instruct(?:s|ed|ing|ions?)|claim(?:s|ed)|quot(?:e|es|ed|ing|ation)|cit(?:es|ed|ing)|embed(?:s|ded)|includ(?:es|ed)|prompts? me|asks? me|(?<!\byou )asked me|wants? me|tr(?:y|ies|ied|ying) to (?:make|get|trick)|found (?:this|the following|it) (?:in|on|at))\b/i,
  // It will not be done.
  /\b(?:will|would|shall|should|must|am) (?:not|never)\b|\b(?:wo|would|should|must)n['’]t\b|\b(?:this|these|that|those|it|which) (?:(?:is|are) not|(?:is|are)n['’]t)\b|\b(?:can|do)(?:not| not|n['’]?t) (?:run|execut|do|follow|make|perform|call|comply|obey|carry|act)|\bnever\b|\brefus|\bdeclin|\bignor|\bdisregard|\binstead of\b/i,
  /\b(?:malicious|suspicious|inject(?:ed|ion)s?|untrusted|unsafe|harmful|attack(?:s|er|ers)?|phishing|hidden|jailbreak)\b/i,
  // German, French, Spanish, Italian, Portuguese, Dutch.
  /\b(?:sagt|schreibt|steht|lautet|enthält|fordert|behauptet|nicht aus|ignorier|weigere)/i,
  /\b(?:dit|contient|affirme|indique|demande|ignore|refuse|n['’]exécut|ne vais pas|dice|contiene|pone|pide|ignor[oa]|no voy a|no ejecut|non eseguir|diz|contém|pede|não vou|zegt|bevat|negeer|niet uit)/i,
  // Russian, Chinese, Japanese, Korean.
  /говорит|написано|содерж|гласит|не буду|игнорир|说|說|写着|寫著|包含|内容是|不会|不會|忽略|拒绝|拒絕|書かれ|書いて|言って|含ま|実行しません|無視|말합니다|적혀|포함|실행하지/,
]
