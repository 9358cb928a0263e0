/**
 * System messages for models that take one, before all others. Those at the top become one. A later one keeps its
 * place, so that the beginning of the conversation stays as it was and the cache of the server can be used: its text
 * goes to the model in the message of the user beside it, or in one of its own, between `<system>` tags.
 */
import type { HistoryRules, Quirks } from '../../core/dialect.ts'
import type { Issue } from '../../core/issue.ts'
import { joinedContent } from '../../core/joined-content.ts'
import type { Message, Part } from '../../core/model.ts'

/** How the messages of one form are recognised and joined. */
export interface Talk<T> {
  speakerOf(message: T): 'system' | 'user' | undefined
  /** The system messages at the top, two at least, as the dialect takes them. */
  merge(messages: readonly T[]): readonly T[]
  /** A message of the user with the text of a system message. */
  lower(message: T): T
  /** True for a message that must stay as it is. */
  isFixed(message: T): boolean
  /** Several messages of the user as one. */
  join(messages: readonly T[]): T
}

/** The rules of a dialect's servers, as the quirks of one service change them. */
export function rulesFor(
  rules: HistoryRules,
  { systemMessages, developerRole }: Quirks = {},
): HistoryRules {
  if (systemMessages === undefined && developerRole !== false) return rules
  return {
    ...rules,
    ...(systemMessages && { systemOnTop: systemMessages === 'first' }),
    ...(developerRole === false && {
      roles: (rules.roles ?? []).filter((role) => role !== 'developer'),
    }),
  }
}

/** System messages at the top become one, and later ones text of the user. */
export function foldSystemMessages<T>(
  messages: readonly T[],
  talk: Talk<T>,
  report?: ((issue: Issue) => void) | undefined,
): T[] {
  const top = messages.findIndex((message) => talk.speakerOf(message) !== 'system')
  const end = top === -1 ? messages.length : top
  const first = messages.slice(0, end)
  return [
    ...(end > 1 ? talk.merge(first) : first),
    ...groupsOf(messages.slice(end), talk, report).map((group) => joined(group, talk)),
  ]
}

function joined<T>(group: readonly T[], talk: Talk<T>): T {
  const [only] = group
  return group.length === 1 && only !== undefined ? only : talk.join(group)
}

/** Each message alone, but a late system message with those of the user beside it. */
function groupsOf<T>(
  messages: readonly T[],
  talk: Talk<T>,
  report: ((issue: Issue) => void) | undefined,
): T[][] {
  const groups: T[][] = []
  /** The last group, as long as something can join it. */
  let open: T[] | undefined
  let wasSystem = false
  for (const message of messages) {
    const speaker = talk.speakerOf(message)
    const isSystem = speaker === 'system'
    if (isSystem) report?.(LOWERED)
    const own = isSystem ? talk.lower(message) : message
    const mayJoin = speaker !== undefined && (isSystem || !talk.isFixed(message))
    if (open && mayJoin && (isSystem || wasSystem)) open.push(own)
    else {
      open = [own]
      groups.push(open)
    }
    if (!mayJoin) open = undefined
    wasSystem = isSystem
  }
  return groups
}

const LOWERED: Issue = {
  code: 'moved-message',
  message: 'a system message in the middle became text of the user',
  level: 'info',
}

const OPEN = '<system>'
const CLOSE = '</system>'

/** Text of the system for the user to say. */
export function systemText(text: string): string {
  return OPEN + text + CLOSE
}

/** The same around the parts of a list. */
export function systemParts<P>(parts: readonly P[], textPart: (text: string) => P): P[] {
  return [textPart(OPEN), ...parts, textPart(CLOSE)]
}

/** Messages of the neutral model, on their way to a dialect. */
export function neutralTalk(
  { systemField }: Pick<HistoryRules, 'systemField'>,
  dialect: string | undefined,
): Talk<Message> {
  return {
    speakerOf: ({ role }) => (role === 'system' || role === 'user' ? role : undefined),
    // A field for the system prompt takes them all.
    merge: (messages) => (systemField ? messages : [mergeSystem(messages)]),
    lower: ({ content }) => ({ role: 'user', content: loweredContent(content) }),
    isFixed: ({ extra }) => Boolean(dialect === undefined ? extra : extra?.[dialect]),
    join: (messages) => ({
      role: 'user',
      content: joinedContent(messages.map(({ content }) => content)),
    }),
  }
}

function mergeSystem(messages: readonly Message[]): Message {
  const said = messages.map(({ content }) => content).filter((content) => content.length > 0)
  return { role: 'system', content: joinedContent(said) }
}

function loweredContent(content: string | readonly Part[]): string | Part[] {
  if (typeof content === 'string') return systemText(content)
  return systemParts<Part>(content, (text) => ({ type: 'text', text }))
}
