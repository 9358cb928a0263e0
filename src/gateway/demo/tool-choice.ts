/** Which of the tools offered a step needs: the one it names, one for its kind, or one with its words in the name. */
import type { Tool } from '../../core/model.ts'
import { wordsOf } from './sample-words.ts'
import type { Step, StepKind } from './steps.ts'
import { type KnownTool, known, type ToolKind } from './tool-kinds.ts'

/** The kinds of tools that can do a step, the best first. */
const ABLE: Readonly<Record<StepKind, readonly ToolKind[]>> = {
  read: ['read', 'shell'],
  list: ['list', 'glob', 'shell'],
  find: ['glob', 'shell'],
  search: ['search', 'shell'],
  run: ['shell'],
  write: ['write', 'patch', 'shell'],
  edit: ['edit'],
  fetch: ['fetch'],
  'look-up': ['web-search'],
  other: [],
}

export interface Chosen {
  readonly known: KnownTool
  /** The user said which tool. */
  readonly isNamed: boolean
}

export function chooseTools(step: Step, tools: readonly Tool[]): readonly Chosen[] {
  const all = tools.map(known)
  const named = namedIn(step, all)
  if (named.length > 0) return named.map((one) => ({ known: one, isNamed: true }))
  const able = ABLE[step.kind]
    .map((kind) => all.find((one) => one.kind === kind))
    .find((one) => one !== undefined)
  const chosen = able ?? alike(step, all)
  return chosen ? [{ known: chosen, isNamed: false }] : []
}

// ── tools that a step names ─────────────────────────────────────────────────────────────────────

/** In the order of the text. `get_weather`, `get weather` and `GetWeather` are one name. */
function namedIn(step: Step, tools: readonly KnownTool[]): readonly KnownTool[] {
  const text = ` ${spoken(`${step.bare} ${step.quoted.filter(isName).join(' ')}`)} `
  const found = tools
    .filter((one) => !(one.isRisky && isQuestion(step)))
    .map((one) => ({ one, name: ` ${wordsOf(one.tool.name)} ` }))
    .map(({ one, name }) => ({ one, at: text.indexOf(name), length: name.length }))
    .filter(({ one, at }) => at !== -1 && isMeant(one, step))
    .sort((a, b) => a.at - b.at || b.length - a.length)
  // A name inside a longer one is not meant.
  return found
    .filter(({ at }, index) => found.slice(0, index).every((one) => one.at + one.length - 1 <= at))
    .map(({ one }) => one)
}

function isName(text: string): boolean {
  return /^[\w.:-]{1,100}$/.test(text)
}

/** Words with no articles between them, so that "run the tests" names `run_tests`. */
function spoken(text: string): string {
  return wordsOf(text).replace(/\b(?:the|a|an|my|our) /g, '')
}

/** Names that are everyday words must be meant as names. */
function isMeant({ tool: { name }, kind }: KnownTool, step: Step): boolean {
  const words = wordsOf(name)
  if (step.quoted.includes(name)) return true
  if (/[_\-:.\d]|\p{Ll}\p{Lu}/u.test(name) && step.words.includes(name)) return true
  const spokenText = spoken(step.bare)
  const called = new RegExp(
    `\\b(?:use|using|call|calling|with|via|tool|invoke)\\s+${words}\\b|\\b${words}\\s+tool\\b`,
  )
  if (called.test(spokenText)) return true
  if (kind === 'inner') return false
  if (words.includes(' ')) return true
  const canDo = kind === undefined || step.kind === 'other' || ABLE[step.kind].includes(kind)
  return canDo && `${spokenText} `.startsWith(`${words} `)
}

const QUESTION =
  /^(?:explain|describe|tell me|what|which|how|why|when|who|does|do|is|are|should)\b/i

function isQuestion({ bare }: Step): boolean {
  return QUESTION.test(bare.trim())
}

// ── tools that have words in common with a step ─────────────────────────────────────────────────

/** Words that are in too many names and requests to tell anything. */
const EVERYDAY: ReadonlySet<string> = new Set(
  (
    'get set fetch find look up search read write list create make add run execute tool function current new mcp ' +
    'file files data info information by for of to the and with from this that what how is are in on at do it you ' +
    'your can will be all any about please tell show me use used using given returns return it its when which into'
  ).split(' '),
)
/** The first sentence says what a tool is for. */
const MAX_DESCRIPTION = 200

function alike(step: Step, tools: readonly KnownTool[]): KnownTool | undefined {
  const words = new Set(telling(step.words))
  const scored = tools
    .filter(({ kind, isRisky }) => kind === undefined && !isRisky)
    .map((one) => ({ one, score: scoreOf(one.tool, words) }))
    .filter(({ score }) => score >= ENOUGH)
    .sort((a, b) => b.score - a.score)
  return scored[0]?.one
}

/** A word of the name, or two of the description. */
const ENOUGH = 2

function scoreOf({ name, description = '' }: Tool, words: ReadonlySet<string>): number {
  const sentence = description.slice(0, MAX_DESCRIPTION).split(/[.\n]/, 1)[0] ?? ''
  const inName = telling(name).filter((word) => words.has(word))
  const inDescription = new Set(telling(sentence).filter((word) => words.has(word)))
  return ENOUGH * inName.length + inDescription.size
}

function telling(text: string): readonly string[] {
  return wordsOf(text)
    .split(' ')
    .filter((word) => word.length > 2 && !EVERYDAY.has(word))
    .map((word) => word.replace(/(?<=\w{3})s$/, ''))
}
