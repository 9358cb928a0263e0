/** What a tool is for, by its name and its arguments, as far as demo models understand it. */
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { wordsOf } from './sample-words.ts'
import type { StepValues } from './steps.ts'

export type ToolKind =
  | 'read'
  | 'list'
  | 'glob'
  | 'search'
  | 'shell'
  | 'write'
  | 'edit'
  | 'patch'
  | 'fetch'
  | 'web-search'
  /** Starts a model of its own, or is about the agent itself: plans, tasks, questions. */
  | 'inner'

/** What an argument is for: a value of the step, a patch, or the step in words. */
export type Role = keyof StepValues | 'patch' | 'words'

interface KindRule {
  readonly kind: ToolKind
  /** The words of the name, without the name of a server in front. */
  readonly name: RegExp
  /** By the words in the name of an argument, the first that fits. */
  readonly roles: readonly (readonly [RegExp, Role])[]
  /** Without an argument for each of these it is another tool. */
  readonly needs: readonly Role[]
}

const PATH: KindRule['roles'][number] = [/\b(?:path|file|filename|uri)\b/, 'path']
const DIR: KindRule['roles'][number] = [/\b(?:path|dir|directory|folder|uri)\b/, 'dir']

const RULES: readonly KindRule[] = [
  {
    kind: 'patch',
    name: /\bapply patch\b/,
    roles: [[/\b(?:input|patch|diff)\b/, 'patch']],
    needs: ['patch'],
  },
  {
    kind: 'edit',
    name: /\b(?:edit|replace|str replace)(?: based edit tool)?(?: (?:file|in file|string|text))*$/,
    roles: [
      PATH,
      [/\b(?:old|search|find|original|before)\b/, 'before'],
      [/\b(?:new|replace|replacement|after)\b/, 'after'],
      [/\b(?:instruction|description|explanation)s?\b/, 'words'],
    ],
    needs: ['path', 'before', 'after'],
  },
  {
    kind: 'write',
    name: /^(?:(?:fs|file|files|filesystem) )?(?:write|create|save|new|put)(?: (?:to|new|text))*(?: files?)?(?: contents?)?$/,
    roles: [[/\b(?:contents?|text|body|data)\b/, 'content'], PATH],
    needs: ['path', 'content'],
  },
  {
    kind: 'list',
    name: /^(?:(?:fs|file|files|filesystem) )?(?:ls|dir|(?:directory )?tree|list(?: (?:files?|dir|directory|directories|folders?|contents|in|the))*|(?:read|view|show) (?:dir|directory|folder))$/,
    roles: [DIR],
    needs: [],
  },
  {
    kind: 'read',
    name: /^(?:(?:fs|file|files|filesystem) )?(?:read|view|open|cat|show|get)(?: (?:a|the|text|many))*(?: files?)?(?: contents?)?$/,
    roles: [[/\b(?:paths?|files?|filename|uri)\b/, 'path']],
    needs: ['path'],
  },
  {
    kind: 'search',
    name: /^search files?$/,
    roles: [[/\b(?:regex|regexp|query|text|content)\b/, 'query'], DIR],
    needs: ['query'],
  },
  {
    kind: 'glob',
    name: /^(?:glob|find|find files?|file search|search files|glob files|list files)(?: (?:by name|paths))?$/,
    roles: [[/\b(?:glob|pattern|query|name)\b/, 'pattern'], DIR],
    needs: ['pattern'],
  },
  {
    kind: 'web-search',
    name: /\bweb search\b|\bsearch (?:the )?(?:web|internet)\b|^google(?: web)? search$|\bwebsearch\b/,
    roles: [[/\b(?:query|q|search|prompt|term)\b/, 'query']],
    needs: ['query'],
  },
  {
    kind: 'search',
    name: /^(?:grep|rg|ripgrep|search|grep search|text search|code search|search (?:file )?contents?|search file content|search code|search text|find in files|codebase search)$/,
    roles: [[/\b(?:query|q|regex|regexp|search|text|term|pattern)\b/, 'query'], DIR],
    needs: ['query'],
  },
  {
    kind: 'fetch',
    name: /\b(?:fetch|web fetch|webfetch|browse|read url|open url|http get|visit|download)\b/,
    roles: [
      [/\b(?:urls?|uri|link|address)\b/, 'url'],
      [/\b(?:prompt|question|query)\b/, 'words'],
    ],
    needs: [],
  },
  {
    kind: 'shell',
    name: /\b(?:bash|shell|sh|zsh|terminal|powershell|pwsh|cmd|exec|execute|run|command|console)\b/,
    roles: [
      [/\b(?:command|cmd|commands|script)\b/, 'command'],
      [/\b(?:description|explanation|purpose|summary)\b/, 'words'],
    ],
    needs: ['command'],
  },
]

/** Words in the names of tools that are about the agent itself. Many requests contain these words without meaning a tool. */
const INNER =
  /\b(?:agents?|subagents?|tasks?|todo\w*|plan|skills?|question|questions|memory|mode|goal|intent|topic|session|thread|report|tool|tools|output|worktree|cron|delegate|spawn|think|notebook|kill|wait|store|sql)\b/

export interface KnownTool {
  readonly tool: Tool
  readonly kind: ToolKind | undefined
  readonly roleOf: (property: string) => Role | undefined
  /** It runs what it is given, or changes something: never called because of a word in common. */
  readonly isRisky: boolean
}

export function known(tool: Tool): KnownTool {
  const name = wordsOf(tool.name.split('__').at(-1) ?? tool.name)
  const properties = propertiesOf(tool)
  const rule = RULES.find((one) => one.name.test(name) && hasRoles(one, properties))
  const kind = rule?.kind ?? (INNER.test(name) ? 'inner' : undefined)
  const roleOf = (property: string): Role | undefined => (rule ? roleIn(rule, property) : undefined)
  return { tool, kind, roleOf, isRisky: isRisky(kind, properties) }
}

function roleIn({ roles }: KindRule, property: string): Role | undefined {
  const words = wordsOf(property)
  return roles.find(([expression]) => expression.test(words))?.[1]
}

function hasRoles(rule: KindRule, properties: readonly string[]): boolean {
  return rule.needs.every((role) => properties.some((property) => roleIn(rule, property) === role))
}

const CODE = /\b(?:command|cmd|commands|script|code|expression|statement|sql|program)\b/

/** An argument that is run: nothing goes there that was only quoted. */
export function isCode(property: string): boolean {
  return CODE.test(wordsOf(property))
}

function isRisky(kind: ToolKind | undefined, properties: readonly string[]): boolean {
  const changes = kind === 'shell' || kind === 'write' || kind === 'edit' || kind === 'patch'
  return changes || properties.some(isCode)
}

function propertiesOf({ inputSchema }: Tool): readonly string[] {
  const schema: JsonObject = isJsonObject(inputSchema) ? inputSchema : {}
  return isJsonObject(schema['properties']) ? Object.keys(schema['properties']) : []
}
