/** What the scripted model does, in words that fit the tools of any agent. */
import type { ScriptedCall } from './formats.ts'

/** One call. A kind is looked for among the tools that the agent offers. */
export interface Step {
  readonly kind: KindName
  readonly values: Readonly<Record<string, unknown>>
}

export interface Plan {
  /** What the user asks for; also how requests of the plan are told from titles and summaries. */
  readonly prompt: string
  /** Whether the user has configured a server for MCP. */
  readonly needsMcp?: boolean
  /** What the model server must have seen or written in the end, as proof that the calls did something. */
  readonly proofs: readonly string[]
  /** The calls of each turn. */
  readonly turns: readonly (readonly Step[])[]
}

/** Ends the last answer, whatever the agent prints around it. */
export const LAST_WORDS = 'ALL-STEPS-DONE'

/** In the prompt of a sub-agent. */
export const SUBTASK = 'SUBTASK-ONE'
export const SUBTASK_ANSWER = 'SUBTASK-ANSWER'

const HTML = `<!doctype html>
<html>
  <body>
    <p class="x">5 < 6 && 7 > 3, "quoted", 'single', {"json": [1, 2]}</p>
    <!-- </parameter> and </tool_call> inside -->
    <script>
      const s = \`a\${1 + 1}\\n\`;
    </script>
  </body>
</html>
`

const WORK: Plan = {
  prompt: 'Do the work plan.',
  proofs: ['BLUEFERRY'],
  turns: [
    [{ kind: 'read', values: { path: '{{work}}/notes.txt' } }],
    [{ kind: 'write', values: { path: '{{work}}/out.html', content: HTML } }],
    [
      { kind: 'shell', values: { command: 'echo one > one.txt && wc -l < out.html >> one.txt' } },
      { kind: 'shell', values: { command: `echo "two" | tr 'a-z' 'A-Z' > two.txt` } },
    ],
    [{ kind: 'read', values: { path: '{{work}}/out.html' } }],
    [
      {
        kind: 'edit',
        values: { path: '{{work}}/out.html', old: '<p class="x">', new: '<p class="y">' },
      },
    ],
    [{ kind: 'read', values: { path: '{{work}}/missing.txt' } }],
  ],
}

const MCP: Plan = {
  prompt: 'Do the plan with the tools of the server.',
  proofs: ['the sum is 42', 'things for ', 'here it is'],
  needsMcp: true,
  turns: [
    [{ kind: 'mcp-add', values: { a: 2, b: 40 } }],
    [
      {
        kind: 'mcp-find',
        values: { filter: { kind: 'b', since: null }, tags: ['x', 3, '</parameter>'] },
      },
    ],
    [{ kind: 'mcp-picture', values: {} }],
    [{ kind: 'mcp-fail', values: {} }],
  ],
}

const DEFERRED: Plan = {
  prompt: 'Do the plan with tools that you have to look for.',
  proofs: ['the sum is 42'],
  needsMcp: true,
  turns: [
    [{ kind: 'search', values: { query: 'select:TaskCreate,mcp__tiny__add', max_results: 5 } }],
    [
      {
        kind: 'task',
        values: {
          subject: 'Check & verify',
          description: 'Look at <b>all</b>',
          activeForm: 'On it',
        },
      },
    ],
    [{ kind: 'mcp-add', values: { a: 2, b: 40 } }],
  ],
}

const SUB_AGENT: Plan = {
  prompt: 'Do the plan with a sub-agent.',
  proofs: [SUBTASK_ANSWER],
  turns: [
    [
      {
        kind: 'agent',
        values: { prompt: `${SUBTASK}: say what you were asked.`, description: 'One thing' },
      },
    ],
  ],
}

export type PlanName = 'work' | 'mcp' | 'deferred' | 'subagent'

export const PLANS: Readonly<Record<PlanName, Plan>> = {
  work: WORK,
  mcp: MCP,
  deferred: DEFERRED,
  subagent: SUB_AGENT,
}

type KindName =
  | 'read'
  | 'write'
  | 'shell'
  | 'edit'
  | 'search'
  | 'task'
  | 'agent'
  | `mcp-${'add' | 'find' | 'picture' | 'fail'}`

interface Kind {
  /** Names of tools, the first that is offered is taken. */
  readonly tools: readonly RegExp[]
  /** Names that agents have for a value. */
  readonly properties: Readonly<Record<string, readonly string[]>>
}

const PATH = ['file_path', 'filePath', 'filepath', 'path', 'absolute_path', 'filename'] as const

const KINDS: Readonly<Record<KindName, Kind>> = {
  read: {
    tools: [/^read(_?files?)?$/i, /^view(_file)?$/i],
    properties: { path: PATH },
  },
  write: {
    tools: [/^write(_?file)?$/i, /^create(_new)?_file$/i, /^create$/i, /^editor$/i],
    properties: { path: PATH, content: ['content', 'contents', 'file_text', 'text', 'new_text'] },
  },
  shell: {
    tools: [
      /^bash$/i,
      /^(run_)?shell(_command)?$/i,
      /^exec_command$/i,
      /^run_(terminal_)?commands?$/i,
    ],
    properties: { command: ['command', 'cmd', 'commands', 'script'] },
  },
  edit: {
    tools: [/^edit(_file)?$/i, /^replace$/i, /^str_replace(_editor)?$/i, /^editor$/i],
    properties: {
      path: PATH,
      old: ['old_string', 'oldString', 'old_str', 'old_text'],
      new: ['new_string', 'newString', 'new_str', 'new_text'],
    },
  },
  search: { tools: [/^ToolSearch$/], properties: {} },
  task: { tools: [/^TaskCreate$/], properties: {} },
  agent: {
    tools: [/^(Agent|Task)$/i, /spawn_agent$/],
    properties: { prompt: ['prompt', 'message'], description: ['description', 'task_name'] },
  },
  'mcp-add': { tools: [/(^|[^a-z])add$/], properties: {} },
  'mcp-find': { tools: [/(^|[^a-z])find_things$/], properties: {} },
  'mcp-picture': { tools: [/(^|[^a-z])get_picture$/], properties: {} },
  'mcp-fail': { tools: [/(^|[^a-z])always_fail$/], properties: {} },
}

/** A tool as the server is offered it. */
export interface OfferedTool {
  readonly name: string
  readonly parameters: Schema
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

export type Written = { readonly call: ScriptedCall } | { readonly missing: string }

/** The call that the step comes to with these tools. */
export function callFor({ kind, values }: Step, offered: readonly OfferedTool[]): Written {
  const { tools, properties }: Kind = KINDS[kind]
  const tool = tools.flatMap((name) => offered.filter((one) => name.test(one.name)))[0]
  if (tool) return { call: { name: tool.name, args: fill(tool, properties, values) } }
  const patch = offered.find(({ name }) => name === 'apply_patch')
  const input = asPatch(kind, values)
  if (patch && input !== undefined) return { call: { name: patch.name, args: { input } } }
  const code = offered.find(({ name }) => /(^|__)exec$/.test(name))
  if (code && kind === 'shell')
    return { call: { name: code.name, args: { input: inCode(values) } } }
  // Agents without tools for files do it in a shell.
  const command = inShell(kind, values)
  if (command !== undefined) return callFor({ kind: 'shell', values: { command } }, offered)
  const names = offered.map(({ name }) => name).join(', ')
  return { missing: `no tool for ${kind} among ${names}` }
}

/** In the format of Codex. */
function asPatch(kind: Step['kind'], values: Step['values']): string | undefined {
  const { path, content, old, new: next } = values
  const wrap = (...lines: readonly string[]): string => {
    return ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
  }
  if (kind === 'write') {
    const lines = String(content).trimEnd().split('\n')
    return wrap(`*** Add File: ${path}`, ...lines.map((line) => `+${line}`))
  }
  if (kind !== 'edit') return undefined
  // A line that is changed has to be there as a whole.
  const line = HTML.split('\n').find((one) => one.includes(String(old))) ?? ''
  const changed = line.replace(String(old), String(next))
  return wrap(`*** Update File: ${path}`, '@@', `-${line}`, `+${changed}`)
}

/** For agents that have one tool, which runs a program that calls the others. */
function inCode({ command }: Step['values']): string {
  return `text(await tools.exec_command({ cmd: ${JSON.stringify(command)} }))`
}

function inShell(kind: Step['kind'], values: Step['values']): string | undefined {
  const { path, content, old, new: next } = values
  if (kind === 'read') return `cat ${path}`
  if (kind === 'write') return `cat > ${path} <<'END-OF-FILE'\n${content}END-OF-FILE`
  if (kind === 'edit') return `sed -i 's|${old}|${next}|' ${path}`
  return undefined
}

function fill(
  { parameters }: OfferedTool,
  names: Kind['properties'],
  values: Step['values'],
): Record<string, unknown> {
  const known = parameters.properties ?? {}
  const args: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const property = [name, ...(names[name] ?? [])].find((candidate) => candidate in known)
    if (property !== undefined) args[property] = shaped(value, property, known[property])
  }
  if ('edits' in known) args['edits'] = [{ oldText: values['old'], newText: values['new'] }]
  if ('files' in known) args['files'] = [{ path: values['path'] }]
  for (const property of parameters.required ?? [])
    args[property] ??= USUAL[property] ?? something(known[property])
  return args
}

/** A value in a list, where the tool takes several. */
function shaped(value: unknown, property: string, { type }: Schema = {}): unknown {
  if (type !== 'array' || Array.isArray(value)) return value
  return property === 'files' ? [{ path: value }] : [value]
}

/** Values that an agent checks against a list that is not in the schema. */
const USUAL: Readonly<Record<string, string>> = { subagent_type: 'general' }

const SOMETHING: Readonly<Record<string, unknown>> = {
  boolean: false,
  number: 1,
  integer: 1,
  array: [],
  object: {},
}

/** For properties that are required and of which the plan knows nothing. */
function something(schema: Schema = {}): unknown {
  const { enum: choices, type } = schema
  const name = typeof type === 'string' ? type : (type?.[0] ?? 'string')
  return choices?.[0] ?? SOMETHING[name] ?? 'because'
}
