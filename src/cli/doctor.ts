/** `toolglot doctor`: finds out how a server handles tools, and says what to configure. */
import { InvalidInputError } from '../core/errors.ts'
import { findSpokenDialect } from '../providers/spoken-dialect.ts'
import { COMMON_OPTIONS, oneOf, readArguments } from './arguments.ts'
import { type Command, EXIT_NO_TOOLS, EXIT_OK, UsageError } from './command.ts'
import { type Advice, advise, codeFor, type Target } from './doctor/advice.ts'
import { DIALECTS } from './doctor/examined.ts'
import { examine, STEPS, type Step, type Watcher } from './doctor/probe.ts'
import { openServer, type Server } from './doctor/server.ts'
import { indent, printable, type Style, type Terminal, wrap } from './terminal.ts'

const HELP = `Usage: toolglot doctor <base-url> <model> [options]

Asks a server a few short questions, with and without a tool, and tells step by step what works:
plain replies, native tools, tools in streams, ids, indexes, finish reasons, and calls that were left
in the text. Then it says what to configure. No host but the one that is named is contacted.

Options:
  --dialect <dialect>    what it speaks: ${DIALECTS.join(', ')}
                         (default openai-chat)
  --api-key-env <name>   the environment variable that holds the key; no other one is read
  --timeout <seconds>    patience with each request (default 60)
  --json                 as JSON
  --no-color             no colours
  -h, --help             this text

Examples:
  toolglot doctor http://127.0.0.1:8000/v1 qwen3
  toolglot doctor http://127.0.0.1:11434 llama3.2 --dialect ollama
  toolglot doctor https://llm.example.com/v1 my-model --api-key-env MY_KEY --json

Exit codes: 0 tools work in some way, 1 they do not, 2 the command line cannot be used.`

const OPTIONS = {
  ...COMMON_OPTIONS,
  dialect: { type: 'string' },
  'api-key-env': { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
} as const

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'find out how a server handles tools, and what to configure',
  help: HELP,
  options: OPTIONS,
  choices: { dialect: DIALECTS },
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [baseUrl, model, extra] = positionals
    if (!baseUrl) throw new UsageError('the base URL of the server is missing')
    if (!model) throw new UsageError('the name of the model is missing')
    if (extra !== undefined) throw new UsageError(`only one model at a time, but also got ${extra}`)
    const keyVariable = values['api-key-env']
    const target: Target = { baseUrl, model, dialect: readDialect(values.dialect), keyVariable }
    const server = open(target, readKey(keyVariable), readTimeout(values.timeout))
    const isJson = values.json === true
    const found = await examine(server, isJson ? SILENT : createProgress(terminal))
    const advice = advise(found, target)
    if (isJson) terminal.print(JSON.stringify(asJson(target, found.steps, advice), null, 2))
    else showAdvice(advice, target, terminal)
    return advice.verdict === 'none' ? EXIT_NO_TOOLS : EXIT_OK
  },
}

// ── the command line ────────────────────────────────────────────────────────────────────────────

function readDialect(name = 'openai-chat'): string {
  const known = findSpokenDialect(name)?.id ?? name
  return oneOf('--dialect', known, DIALECTS) ?? known
}

function readKey(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined
  const key = process.env[variable]
  if (key === undefined || key === '') throw new UsageError(`the variable ${variable} is not set`)
  // An error of fetch would show it.
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`what ${variable} holds has characters that no key has`)
  }
  return key
}

const DEFAULT_SECONDS = 60

function readTimeout(written = String(DEFAULT_SECONDS)): number {
  const seconds = Number(written)
  if (written.trim() !== '' && seconds > 0 && seconds <= 86_400) return Math.ceil(seconds * 1000)
  throw new UsageError(`--timeout cannot be "${written}"; it takes a number of seconds`)
}

function open(target: Target, apiKey: string | undefined, timeoutMs: number): Server {
  try {
    return openServer({ ...target, apiKey, timeoutMs })
  } catch (error) {
    if (error instanceof InvalidInputError) throw new UsageError(error.message)
    throw error
  }
}

// ── what is shown ───────────────────────────────────────────────────────────────────────────────

const SILENT: Watcher = { began() {}, ended() {} }

const TITLE_WIDTH = Math.max(...Object.values(STEPS).map((title) => title.length))

/** A line for each step; on a terminal it is there from the beginning of the step. */
function createProgress({ print, style }: Terminal): Watcher {
  const isLive = process.stdout.isTTY === true && process.env['TERM'] !== 'dumb'
  return {
    began(id) {
      if (isLive) process.stdout.write(style.dim(`… ${STEPS[id]}`))
    },
    ended(step) {
      // Back to the beginning of the line, which is then cleared.
      if (isLive) process.stdout.write('\r\u001b[K')
      print(lineOf(step, style))
    },
  }
}

const MARKS: Readonly<Record<Step['status'], string>> = {
  ok: '✓',
  warning: '!',
  failed: '✗',
  skipped: '–',
}

function lineOf({ id, status, detail }: Step, style: Style): string {
  const line = `${MARKS[status]} ${STEPS[id].padEnd(TITLE_WIDTH)}  ${printable(detail).replaceAll('\n', ' ')}`
  if (status === 'ok') return style.call(line)
  return status === 'skipped' ? style.dim(line) : style.issue(line)
}

function showAdvice(advice: Advice, { keyVariable }: Target, terminal: Terminal): void {
  const { print, style, width } = terminal
  const { sentences, settings, rescueFetch } = advice
  print(`\n${style.bold('What to do')}\n`)
  for (const sentence of sentences) print(wrap(printable(sentence), width, 0))
  if (settings) print(`\n${indent(printable(codeFor(settings, keyVariable)), '  ')}`)
  if (rescueFetch) {
    print(`\nOther clients: give them the fetch of toolglot/fetch.\n\n  fetch: rescueFetch()`)
  }
}

function asJson(target: Target, steps: readonly Step[], advice: Advice) {
  const { baseUrl, model, dialect } = target
  const { verdict, sentences, settings = null, rescueFetch } = advice
  return { baseUrl, model, dialect, verdict, steps, advice: sentences, settings, rescueFetch }
}
