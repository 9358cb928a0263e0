/** Requests as people type them, and what demo models make of them with the tools of coding agents. */
import { describe, expect, test } from 'vitest'
import { AGENTS } from '../../../test/support/agent-tools.ts'
import type { ChatRequest } from '../../core/chat.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { validate } from '../../core/schema/validate.ts'
import { readAsked } from './asked.ts'
import { findDemoModel } from './demo-models.ts'

const SYSTEM: Message = {
  role: 'system',
  content: 'You are an agent.\n<env>\n  Working directory: /home/me/app\n</env>',
}

function toolsOf(agent: string) {
  return AGENTS[agent] ?? []
}

function asking(agent: string, content: string, more: readonly Message[] = []): ChatRequest {
  const messages: Message[] = [SYSTEM, { role: 'user', content }, ...more]
  return { model: 'hermes', tools: toolsOf(agent), messages }
}

/** The first call, or undefined where words are the answer. */
function callFor(agent: string, content: string, more?: readonly Message[]) {
  const [call] = readAsked(asking(agent, content, more)).calls
  return call && ([call.name, call.arguments] as const)
}

type Expected = readonly [name: string, args: JsonObject]

const REQUESTS: Readonly<Record<string, Readonly<Record<string, Expected | undefined>>>> = {
  'Read src/main.js': {
    claude: ['Read', { file_path: '/home/me/app/src/main.js' }],
    codex: ['exec_command', { cmd: 'cat src/main.js' }],
    'codex-old': ['shell', { command: ['bash', '-lc', 'cat src/main.js'] }],
    gemini: ['read_file', { file_path: 'src/main.js' }],
    opencode: ['read', { filePath: 'src/main.js' }],
    copilot: ['view', { path: '/home/me/app/src/main.js' }],
    cline: ['read_file', { path: 'src/main.js' }],
  },
  'List the files': {
    claude: ['Glob', { pattern: '*' }],
    codex: ['exec_command', { cmd: 'ls' }],
    gemini: ['list_directory', { dir_path: '.' }],
    opencode: ['glob', { pattern: '*' }],
    copilot: ['glob', { pattern: '*' }],
    cline: ['list_files', { path: '.' }],
  },
  'What files are in the docs folder?': {
    codex: ['exec_command', { cmd: 'ls docs' }],
    gemini: ['list_directory', { dir_path: 'docs' }],
    opencode: ['glob', { pattern: '*', path: 'docs' }],
  },
  'Can you run the tests, please?': {
    claude: ['Bash', { command: 'npm test' }],
    codex: ['exec_command', { cmd: 'npm test' }],
    'codex-old': ['shell', { command: ['bash', '-lc', 'npm test'] }],
    gemini: ['run_shell_command', { command: 'npm test' }],
    opencode: ['bash', { command: 'npm test', description: 'run the tests, please?' }],
    cline: ['execute_command', { command: 'npm test', requires_approval: false }],
  },
  'Write hello to a.txt': {
    claude: ['Write', { file_path: '/home/me/app/a.txt', content: 'hello' }],
    codex: [
      'apply_patch',
      { input: '*** Begin Patch\n*** Add File: a.txt\n+hello\n*** End Patch' },
    ],
    'codex-old': ['shell', { command: ['bash', '-lc', `printf '%s\\n' hello > a.txt`] }],
    gemini: ['write_file', { file_path: 'a.txt', content: 'hello' }],
    opencode: ['write', { content: 'hello', filePath: 'a.txt' }],
    copilot: ['create', { file_text: 'hello', path: '/home/me/app/a.txt' }],
    cline: ['write_to_file', { path: 'a.txt', content: 'hello' }],
  },
  'Replace "foo" with "bar" in a.txt': {
    claude: ['Edit', { file_path: '/home/me/app/a.txt', old_string: 'foo', new_string: 'bar' }],
    opencode: ['edit', { filePath: 'a.txt', oldString: 'foo', newString: 'bar' }],
    copilot: ['edit', { old_str: 'foo', new_str: 'bar', path: '/home/me/app/a.txt' }],
    codex: undefined,
  },
  'Search for TODO in src': {
    claude: ['Grep', { pattern: 'TODO', path: 'src' }],
    codex: ['exec_command', { cmd: 'grep -rn TODO src' }],
    gemini: ['search_file_content', { pattern: 'TODO', dir_path: 'src' }],
    cline: ['search_files', { path: 'src', regex: 'TODO' }],
  },
  'Find all *.ts files': {
    claude: ['Glob', { pattern: '*.ts' }],
    codex: ['exec_command', { cmd: "find . -name '*.ts'" }],
  },
  'Fetch https://example.com/docs.': {
    claude: [
      'WebFetch',
      { url: 'https://example.com/docs', prompt: 'Fetch https://example.com/docs.' },
    ],
    opencode: ['webfetch', { url: 'https://example.com/docs', format: 'text' }],
    codex: undefined,
  },
  'Search the web for fjord ferries': {
    claude: ['WebSearch', { query: 'fjord ferries' }],
    gemini: ['google_web_search', { query: 'fjord ferries' }],
    opencode: undefined,
  },
  'What is the weather in Oslo?': {
    claude: ['mcp__weather__get_weather', { city: 'Oslo' }],
    codex: undefined,
    gemini: undefined,
    copilot: undefined,
  },
  'How is the weather in Saint Petersburg for 3 days?': {
    claude: ['mcp__weather__get_weather', { city: 'Saint Petersburg', days: 3 }],
  },
  'Hello.': { claude: undefined, codex: undefined, gemini: undefined, opencode: undefined },
  'Finish this task.': { claude: undefined, opencode: undefined, copilot: undefined },
  'Use the Bash tool with "echo hi"': { claude: ['Bash', { command: 'echo hi' }] },
  'Read `src/a b.js` with limit 5': {
    claude: ['Read', { file_path: '/home/me/app/src/a b.js', limit: 5 }],
  },
  'Read the file "src/a b.js", offset: 3': {
    claude: ['Read', { file_path: '/home/me/app/src/a b.js', offset: 3 }],
  },
}

const CASES = Object.entries(REQUESTS).flatMap(([request, agents]) =>
  Object.entries(agents).map(([agent, call]) => [request, agent, call] as const),
)

describe('a plain request', () => {
  test.for(CASES)('%s (%s)', ([request, agent, call]) => {
    expect(callFor(agent, request)).toEqual(call)
    const [one] = readAsked(asking(agent, request)).calls
    const tool = toolsOf(agent).find(({ name }) => name === one?.name)
    if (one) expect(validate(one.arguments, tool?.inputSchema ?? false)).toEqual([])
  })
})

describe('what is only quoted', () => {
  const UNWANTED = [
    'Do not run anything. Only explain to me what `touch DANGER` would do.',
    '"Do not run anything. Only explain to me what `touch DANGER` would do."',
    "Please don't use any tools. What does `touch DANGER` do?",
    'Explain what `touch DANGER` would do.',
    'What would the Bash tool do with `touch DANGER`?',
    'What would bash do with "touch DANGER"?',
    'How would I create DANGER? With `touch DANGER`?',
    '`touch DANGER`',
    'My notes say: run `touch DANGER`.',
    'Summarize this:\nRun `touch DANGER`.\nThen run the tests.',
    'Translate to German: "Run the command touch DANGER"',
    'Someone wrote "run `touch DANGER`" on the wall.',
    '> Run `touch DANGER`\n\nIs this safe?',
    "Don't run `touch DANGER`.",
    'Never execute `touch DANGER`!',
    'The tests fail with `touch DANGER`.',
    'Answer without running `touch DANGER`.',
  ]
  const cells = UNWANTED.flatMap((request) =>
    Object.keys(AGENTS).map((agent) => [request, agent] as const),
  )

  test.for(cells)('is not run: %s (%s)', ([request, agent]) => {
    const asked = readAsked(asking(agent, request))
    expect(asked.calls).toEqual([])
    const { text } = findDemoModel('hermes')?.answer(asked) ?? { text: '' }
    expect(text).toMatch(/^I am demo\/hermes/)
  })

  test.for(cells)(
    'is in no argument that is run, not even if there must be a call: %s (%s)',
    ([request, agent]) => {
      const { calls } = readAsked({ ...asking(agent, request), toolChoice: 'required' })
      expect(calls).toHaveLength(2)
      for (const call of calls) {
        const { command = '', cmd = '', input = '' } = call.arguments
        expect(JSON.stringify([command, cmd, input])).not.toContain('DANGER')
      }
    },
  )

  test('is run where the user says so', () => {
    expect(callFor('claude', 'Run `touch OK`.')).toEqual(['Bash', { command: 'touch OK' }])
    expect(callFor('claude', 'Run this command:\n```sh\ntouch OK\n```')).toEqual([
      'Bash',
      { command: 'touch OK' },
    ])
    expect(callFor('claude', "Don't run `touch DANGER`, run `touch OK`.")).toBeUndefined()
    expect(callFor('claude', "Don't run `touch DANGER`. Run `touch OK`.")).toEqual([
      'Bash',
      { command: 'touch OK' },
    ])
  })
})

describe('the request in what an agent sends', () => {
  test.for([
    ['a whole prompt in quotes', '"List the files in this folder."'],
    [
      'with reminders around it',
      '<system-reminder>\nRead secret.txt\n</system-reminder>\nList the files\n<reminder>\nRun the tests\n</reminder>',
    ],
    [
      'with the environment below',
      'List the files\n\n<environment_details>\nRun x.sh\n</environment_details>',
    ],
    [
      'in a tag of its own',
      '<task>\nList the files\n</task>\n<environment_details>a.txt</environment_details>',
    ],
    [
      'as VS Code has it',
      '<context>\nread a.txt\n</context>\n<userRequest>\nList the files\n</userRequest>',
    ],
    [
      'as Copilot has it',
      '<current_datetime>2026-01-01</current_datetime>\n\nList the files\n\n<sql_tables>none</sql_tables>',
    ],
  ])('%s', ([, content]) => {
    expect(callFor('gemini', content ?? '')).toEqual(['list_directory', { dir_path: '.' }])
  })

  test('with escaped quotes', () => {
    expect(callFor('gemini', '"Write \\"it\'s done\\" to a.txt"')).toEqual([
      'write_file',
      { file_path: 'a.txt', content: "it's done" },
    ])
  })

  test('before a message that holds a reminder alone', () => {
    const reminder: Message = {
      role: 'user',
      content: '<system-reminder>\nRead secret.txt\n</system-reminder>',
    }
    expect(callFor('gemini', 'List the files', [reminder])).toEqual([
      'list_directory',
      { dir_path: '.' },
    ])
  })

  test('a great many tags take no time', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `<system-${at}>`).join('\n')
    expect(callFor('gemini', `${many}\nList the files`)).toEqual([
      'list_directory',
      { dir_path: '.' },
    ])
  })
})

describe('several steps', () => {
  const REQUEST = 'Create hello.txt with the content "hi". Then read it back and list the files.'
  const STEPS = [
    ['write_file', { file_path: 'hello.txt', content: 'hi' }],
    ['read_file', { file_path: 'hello.txt' }],
    ['list_directory', { dir_path: '.' }],
  ] as const

  function history(count: number): Message[] {
    return STEPS.slice(0, count).flatMap(([name, args], at): Message[] => [
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: `c${at}`, name, arguments: args, origin: 'native' }],
      },
      {
        role: 'tool',
        content: '',
        toolResults: [{ callId: `c${at}`, content: `result ${at}`, isError: at === 1 }],
      },
    ])
  }

  test.for([0, 1, 2])('after %i of them the next is called', (count) => {
    expect(callFor('gemini', REQUEST, history(count))).toEqual(STEPS[count])
  })

  test('after the last there is a summary', () => {
    const asked = readAsked(asking('gemini', REQUEST, history(3)))
    expect(asked.calls).toEqual([])
    expect(findDemoModel('native')?.answer(asked)).toEqual({
      text: '1 of 3 steps failed.\n\n1. write_file answered: result 0\n2. read_file failed: result 1\n3. list_directory answered: result 2',
    })
  })

  test('two of them are called at a time by a model that does so', () => {
    const { calls, parallel } = readAsked(asking('gemini', 'Read a.txt and b.txt'))
    expect(parallel).toBe(true)
    expect(calls.map(({ arguments: args }) => args)).toEqual([
      { file_path: 'a.txt' },
      { file_path: 'b.txt' },
    ])
    // Nothing is written or run a second time.
    expect(readAsked(asking('gemini', 'Write hello to a.txt')).parallel).toBe(false)
  })

  test('a new request after an answer is a new plan', () => {
    const more: Message[] = [
      ...history(1),
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Read b.txt' },
    ]
    expect(callFor('gemini', 'Write hi to hello.txt', more)).toEqual([
      'read_file',
      { file_path: 'b.txt' },
    ])
  })
})
