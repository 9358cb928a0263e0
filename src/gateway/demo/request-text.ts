/** The words of the user, without what programs put around them. */
import { wordsOf } from './sample-words.ts'

/** A request longer than this has files or logs in it; the request itself is at its end. */
const MAX_LENGTH = 50_000
/** Blocks that are looked at; a client adds a few. */
const MAX_BLOCKS = 100

/** Tags that agents put around the request itself: Cline, Roo Code, VS Code and others. */
const WRAPPERS = ['task', 'user_input', 'user_message', 'user_query', 'userRequest', 'feedback']

/** Words in the names of tags around what an agent adds to a request. */
const ADDED: ReadonlySet<string> = new Set(
  (
    'system reminder reminders environment env context instructions instruction datetime metadata rules workspace ' +
    'attachments state settings guidelines skills permissions memory'
  ).split(' '),
)

/** What the user asks for; empty when a message has only what a program has added. */
export function requestIn(message: string): string {
  const text = message.slice(-MAX_LENGTH)
  const own = withoutAdded(wrappedIn(text) ?? text).trim()
  return withoutQuotes(own)
}

function wrappedIn(text: string): string | undefined {
  for (const name of WRAPPERS) {
    const end = text.lastIndexOf(`</${name}>`)
    const start = end === -1 ? -1 : text.lastIndexOf(`<${name}`, end)
    const inside = start === -1 ? '' : text.slice(text.indexOf('>', start) + 1, end)
    if (inside.trim() !== '') return inside
  }
  return undefined
}

/** Blocks such as `<system-reminder>…</system-reminder>`. Tags that people write, as in HTML, stay. */
function withoutAdded(text: string): string {
  const opener = /^[ \t]*<([A-Za-z][\w-]*)(?:[ \t][^<>\n]*)?>/gm
  const kept: string[] = []
  let from = 0
  for (let count = 0; count < MAX_BLOCKS; count++) {
    opener.lastIndex = from
    const match = opener.exec(text)
    if (!match) break
    const [tag, name = ''] = match
    const closer = `</${name}>`
    const end = isAdded(name) ? text.indexOf(closer, opener.lastIndex) : -1
    kept.push(text.slice(from, end === -1 ? match.index + tag.length : match.index))
    from = end === -1 ? match.index + tag.length : end + closer.length
  }
  return [...kept, text.slice(from)].join('')
}

function isAdded(tag: string): boolean {
  return wordsOf(tag)
    .split(' ')
    .some((word) => ADDED.has(word))
}

/** Some command lines quote the whole request, and put backslashes before the quotes in it. */
function withoutQuotes(text: string): string {
  const inside = text.slice(1, -1)
  const isWhole = text.length > 2 && text.startsWith('"') && text.endsWith('"')
  if (!isWhole || /(?<!\\)"/.test(inside)) return text
  return inside.replace(/\\(["\\])/g, '$1').trim()
}
