/** `toolglot run`: an agent in the terminal. */
import { type AgentOptions, runAgent, type Store } from '../agent/index.ts'
import { isToolglotError } from '../core/errors.ts'
import { allProtocols } from '../protocols/registry.ts'
import { allProviders } from '../providers/registry.ts'
import type { RunnableTool } from '../tool.ts'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, UsageError } from './command.ts'
import { readReply } from './input.ts'
import { createApprover } from './run/approval.ts'
import { EXIT_CANCELED, exitCodeOf, howToResume, whyItEnded } from './run/ending.ts'
import { eventLine } from './run/event-line.ts'
import { createInterrupt } from './run/interrupt.ts'
import { createLines } from './run/lines.ts'
import { connectServers, type Servers } from './run/mcp-file.ts'
import { openClient } from './run/model.ts'
import { openRuns, showRuns } from './run/runs.ts'
import { readToolFile } from './run/tool-file.ts'
import { createView } from './run/view.ts'
import { createTerminal, printable, type Terminal } from './terminal.ts'

const HELP = `Usage: toolglot run <prompt> --model <provider/model> [options]
       toolglot run --resume <id> --store <file> --model <provider/model> [prompt] [options]
       toolglot run --list --store <file>

Runs an agent: the model calls tools, gets their results, and goes on until it answers. What it says
goes to standard output; its reasoning, calls and results go to standard error. Before a tool runs
that needs approval you are asked: y(es), n(o, with a reason if you like), e(dit the arguments),
a(lways for this tool). Tools of MCP servers need approval unless they say that they only read.

Without a terminal to ask on, the run pauses instead. With --store it can be resumed, also after
Ctrl-C or a crash. The key is taken from the environment variable of the provider, which
"toolglot providers" names.

Options:
  --model <provider/model>   who answers, such as ollama/qwen3 or openai/gpt-5
  --base-url <url>           where the provider is, if it is not where it usually is
  --system <text>            said to the model before everything else
  --tools <file>             a module (.js, .mjs, .ts) that exports what tool() made, or definitions
                             as JSON, whose calls you answer yourself; may be given more than once
  --mcp <file>               JSON with "mcpServers", as other programs have it
  --mode <mode>              native or text: how tools reach the model (default: what works)
  --protocol <id>            the format of calls in text mode ("toolglot protocols" lists them)
  --store <file>             keep the run in this file (or in the one that TOOLGLOT_STORE names)
  --resume <id>              go on with a run of the store; a prompt is said to it
  --list                     the runs of the store
  --yes                      approve everything
  --ask                      ask on standard input even if it is no terminal
  --max-steps <n>            turns with tool calls (default 25)
  --json                     one event a line, as JSON
  --no-color                 no colours
  -h, --help                 this text

Examples:
  toolglot run "What is new in this folder?" --model ollama/qwen3 --mcp servers.json
  toolglot run "Book the ferry" --model openai/gpt-5 --tools tools.mjs --store runs.db
  toolglot run --resume run_1b2c --store runs.db --model openai/gpt-5 --tools tools.mjs
  cat task.txt | toolglot run - --model anthropic/claude-sonnet-4-5 --json

Exit codes: 0 done, 1 failed for good, 2 the command line cannot be used, 4 paused, 5 a limit was
reached, 6 failed, but trying again may help, 130 cancelled.`

const OPTIONS = {
  ...COMMON_OPTIONS,
  model: { type: 'string' },
  'base-url': { type: 'string' },
  system: { type: 'string' },
  tools: { type: 'string', multiple: true },
  mcp: { type: 'string' },
  mode: { type: 'string' },
  protocol: { type: 'string' },
  store: { type: 'string' },
  resume: { type: 'string' },
  list: { type: 'boolean' },
  yes: { type: 'boolean' },
  ask: { type: 'boolean' },
  'max-steps': { type: 'string' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']

export const runCommand: Command = {
  name: 'run',
  summary: 'run an agent: a model, tools, and you',
  help: HELP,
  options: OPTIONS,
  choices: {
    model: allProviders.map(({ id }) => `${id}/`),
    tools: 'file',
    mcp: 'file',
    mode: ['native', 'text'],
    protocol: allProtocols.map(({ id }) => id),
    store: 'file',
  },
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const path = values.store ?? process.env['TOOLGLOT_STORE']
    try {
      if (values.list) return await showRuns(path, values.json === true, terminal)
      return await work({ ...values, ...(path && { store: path }) }, positionals)
    } catch (error) {
      if (isToolglotError(error)) throw new UsageError(error.message)
      throw error
    }
  },
}

/** What was opened for the run, and has to be closed after it. */
interface Open {
  store?: Store | undefined
  mcp?: Servers | undefined
}

async function work(values: Values, positionals: readonly string[]): Promise<number> {
  const settings = await readSettings(values, positionals)
  // What was read to its end has no answers any more.
  const canAsk = !positionals.includes('-') && (values.ask === true || process.stdin.isTTY === true)
  const log = createTerminal(process.stderr, process.env, values['no-color'] === true)
  const interrupt = createInterrupt(() => log.print(log.style.dim(CANCELLING)))
  const { signal } = interrupt
  const open: Open = {}
  try {
    open.store = await openRuns(values.store, values.resume)
    open.mcp = values.mcp === undefined ? undefined : await connectServers(values.mcp, log)
    const tools = [...settings.tools, ...(open.mcp?.tools ?? [])]
    const options = { ...settings, tools, signal, ...(open.store && { store: open.store }) }
    return await follow(options, values, canAsk, log)
  } finally {
    await open.mcp?.close()
    await open.store?.close()
    interrupt.release()
    leaveSoon()
  }
}

const CANCELLING = '\ncancelling; Ctrl-C again ends it at once'

/** Runs the agent, shows what happens, and says how it ended. */
async function follow(
  options: AgentOptions & { readonly signal: AbortSignal },
  values: Values,
  canAsk: boolean,
  log: Terminal,
): Promise<number> {
  const { signal } = options
  const view = createView(process.stdout, process.stderr, log)
  const lines = canAsk ? createLines(process.stdin, view.ask, signal) : undefined
  const run = runAgent({
    ...options,
    approve: createApprover({ lines, yes: values.yes === true }),
  })
  try {
    for await (const event of run) {
      if (values.json) process.stdout.write(`${eventLine(event)}\n`)
      else view.show(event)
    }
  } finally {
    lines?.close()
  }
  const result = await run.result
  if (!values.json) view.end(result)
  const { category } = result
  for (const line of whyItEnded(result)) log.print(log.style.issue(printable(line)))
  if (category !== 'success') log.print(log.style.dim(printable(howToResume(result, values))))
  return signal.aborted ? EXIT_CANCELED : exitCodeOf(category)
}

const GRACE_MS = 500

/** A tool that goes on in the background must not keep the command from ending; a slow reader may. */
function leaveSoon(): void {
  const leave = (): void => (process.stdout.writableLength > 0 ? leaveSoon() : process.exit())
  setTimeout(leave, GRACE_MS).unref()
}

// ── the command line ────────────────────────────────────────────────────────────────────────────

type Settings = AgentOptions & { readonly tools: readonly RunnableTool[] }

async function readSettings(values: Values, positionals: readonly string[]): Promise<Settings> {
  const { system, resume, tools: files = [] } = values
  const client = openClient({ ...values, baseUrl: values['base-url'] })
  const maxSteps = readSteps(values['max-steps'])
  const prompt = await readPrompt(positionals, resume)
  const tools = (await Promise.all(files.map(readToolFile))).flat()
  return {
    client,
    tools,
    ...(prompt !== undefined && { prompt }),
    ...(system !== undefined && { system }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(resume !== undefined && { runId: resume }),
  }
}

async function readPrompt(
  [prompt, extra]: readonly string[],
  resume: string | undefined,
): Promise<string | undefined> {
  if (extra !== undefined) {
    throw new UsageError(`the prompt is one argument, but there is also "${extra}"; quote it`)
  }
  const said = prompt === '-' ? (await readReply('-')).trim() : prompt
  if (said === '') throw new UsageError('the prompt is empty')
  if (said === undefined && resume === undefined) {
    throw new UsageError('the prompt is missing: toolglot run "What is …?" --model ollama/qwen3')
  }
  return said
}

function readSteps(written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(written)) return Number(written)
  throw new UsageError(`--max-steps cannot be "${written}"; it takes a number from 1 on`)
}
