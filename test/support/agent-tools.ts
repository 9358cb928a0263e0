/** Tools as coding agents offer them: names and arguments in the manner of each, in words of our own. */
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Tool } from '../../src/core/model.ts'

type Properties = Readonly<Record<string, JsonObject>>

const text = (description = ''): JsonObject => ({
  type: 'string',
  ...(description && { description }),
})
const number: JsonObject = { type: 'integer' }
const flag: JsonObject = { type: 'boolean' }

function tool(
  name: string,
  required: Properties,
  optional: Properties = {},
  description = '',
): Tool {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: { ...optional, ...required },
      required: Object.keys(required),
    },
  }
}

export const AGENTS: Readonly<Record<string, readonly Tool[]>> = {
  claude: [
    tool(
      'Agent',
      { description: text(), prompt: text() },
      { model: text() },
      'Launch a new agent for complex tasks.',
    ),
    tool('AskUserQuestion', { questions: { type: 'array', items: { type: 'object' } } }),
    tool(
      'Bash',
      { command: text() },
      { description: text(), timeout: number, run_in_background: flag },
    ),
    tool('BashOutput', { bash_id: text() }, { filter: text() }),
    tool(
      'Edit',
      { file_path: text('The absolute path'), old_string: text(), new_string: text() },
      { replace_all: flag },
    ),
    tool(
      'Grep',
      { pattern: text() },
      { path: text(), glob: text(), '-n': flag, '-A': number, head_limit: number },
    ),
    tool('Glob', { pattern: text() }, { path: text() }),
    tool(
      'Read',
      { file_path: text('The absolute path') },
      { offset: number, limit: number, pages: text() },
    ),
    tool('Skill', { skill: text() }, { args: text() }),
    tool(
      'TaskCreate',
      { subject: text(), description: text() },
      {},
      'Create a task in the list of tasks.',
    ),
    tool('WebFetch', { url: { type: 'string', format: 'uri' }, prompt: text() }),
    tool('WebSearch', { query: text() }, { allowed_domains: { type: 'array', items: text() } }),
    tool('Write', { file_path: text('The absolute path'), content: text() }),
    tool('mcp__weather__get_weather', { city: text() }, { days: number }, 'The weather in a city.'),
  ],
  codex: [
    tool(
      'exec_command',
      { cmd: text() },
      {
        workdir: text(),
        justification: text(),
        sandbox_permissions: text(),
        yield_time_ms: number,
        login: flag,
      },
    ),
    tool('write_stdin', { session_id: number }, { chars: text() }),
    tool(
      'update_plan',
      { plan: { type: 'array', items: { type: 'object' } } },
      { explanation: text() },
    ),
    tool('apply_patch', { input: text() }),
    tool('view_image', { path: text() }),
    tool('spawn_agent', { message: text() }, { agent_type: text() }),
  ],
  'codex-old': [
    tool(
      'shell',
      { command: { type: 'array', items: text() } },
      { workdir: text(), justification: text() },
    ),
    tool('update_plan', { plan: { type: 'array', items: { type: 'object' } } }),
  ],
  gemini: [
    tool('list_directory', { dir_path: text() }, { ignore: { type: 'array', items: text() } }),
    tool('read_file', { file_path: text() }, { start_line: number, end_line: number }),
    tool('search_file_content', { pattern: text() }, { dir_path: text(), include: text() }),
    tool('glob', { pattern: text() }, { dir_path: text(), case_sensitive: flag }),
    tool('replace', {
      file_path: text(),
      instruction: text(),
      old_string: text(),
      new_string: text(),
    }),
    tool('write_file', { file_path: text(), content: text() }),
    tool('run_shell_command', { command: text() }, { description: text(), dir_path: text() }),
    tool('web_fetch', { prompt: text() }),
    tool('google_web_search', { query: text() }),
    tool('save_memory', { fact: text() }),
    tool('update_topic', { title: text() }, {}, 'Sets the topic of the session.'),
  ],
  opencode: [
    tool('bash', { command: text(), description: text() }, { timeout: number, workdir: text() }),
    tool('read', { filePath: text() }, { offset: number, limit: number }),
    tool('glob', { pattern: text() }, { path: text() }),
    tool('grep', { pattern: text() }, { path: text(), include: text() }),
    tool('edit', { filePath: text(), oldString: text(), newString: text() }, { replaceAll: flag }),
    tool('write', { content: text(), filePath: text() }),
    tool('task', { description: text(), prompt: text(), subagent_type: text() }),
    tool('webfetch', { url: text(), format: { type: 'string', enum: ['text', 'markdown'] } }),
    tool('todowrite', { todos: { type: 'array', items: { type: 'object' } } }),
    tool('skill', { name: text() }),
  ],
  copilot: [
    tool(
      'bash',
      { command: text(), description: text() },
      { sessionId: text(), initial_wait: number },
    ),
    tool(
      'view',
      { path: text('The absolute path to a file or folder') },
      { view_range: { type: 'array', items: number } },
    ),
    tool('create', { path: text('The absolute path') }, { file_text: text() }),
    tool('edit', { path: text('The absolute path') }, { old_str: text(), new_str: text() }),
    tool('grep', { pattern: text() }, { path: text(), output_mode: text() }),
    tool('glob', { pattern: text() }, { path: text() }),
    tool('report_intent', { intent: text() }),
    tool('sql', { query: text(), description: text() }),
    tool('task', { description: text(), prompt: text(), agent_type: text() }),
    tool('web_fetch', { url: text() }, { raw: flag }),
  ],
  cline: [
    tool('execute_command', { command: text(), requires_approval: flag }),
    tool('read_file', { path: text() }),
    tool('write_to_file', { path: text(), content: text() }),
    tool('replace_in_file', { path: text(), diff: text() }),
    tool('search_files', { path: text(), regex: text() }, { file_pattern: text() }),
    tool('list_files', { path: text() }, { recursive: flag }),
    tool('attempt_completion', { result: text() }),
  ],
}
