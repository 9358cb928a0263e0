/** `toolglot launch`: starts a coding agent that sends its requests to a gateway. */
import { createWriteStream, type WriteStream } from 'node:fs'
import { homedir } from 'node:os'
import process from 'node:process'
import { COMMON_OPTIONS, readArguments } from './arguments.ts'
import { type Command, EXIT_OK, UsageError } from './command.ts'
import type { Agent, Target } from './launch/agent.ts'
import type { Gateway, GatewayWishes } from './launch/gateway.ts'
import { environmentFor, findProgram, isInstalled, runProgram } from './launch/program.ts'
import { AGENTS, findAgent } from './launch/registry.ts'
import { FOLDER, setupScript } from './launch/script.ts'
import { createTemporaryFolder } from './launch/temporary-files.ts'
import { createTerminal, printable, type Terminal, table } from './terminal.ts'

const IDS = AGENTS.map(({ id }) => id)

const HELP = `Usage: toolglot launch <agent> [--model <name>] [options] [-- arguments of the agent]
       toolglot launch --list

Starts a coding agent that asks the gateway instead of the service it was made for. The gateway is
the one that runs where the configuration says (by default at port 4141) or, if none does, one that
is started for as long as the agent runs. Settings go to the agent as variables, options and
temporary files; the agent's own configuration is not changed, and still applies.

Without --model the agent gets the defaultModel of the configuration, or the only model there is.

Agents: ${IDS.join(', ')}

Options:
  --model <name>     a model of the gateway, such as ollama/qwen3-coder
  --gateway <url>    ask the gateway at this address
  --own              start a gateway even if one runs
  --key <key>        the key for a gateway that runs; the variable TOOLGLOT_KEY is better, because
                     other people on this machine cannot see it
  --config <file>    the configuration of the gateway
  --log-file <file>  where a gateway that is started writes its log; without it nothing is logged
  --print            only show what would be set, as lines for a shell
  --list             the agents, and which of them are installed
  --no-color         no colours
  -h, --help         this text

Examples:
  toolglot launch claude --model ollama/qwen3-coder
  toolglot launch codex --model vllm/glm-4.7 -- exec "Fix the failing test"
  toolglot launch gemini --print

Exit codes: those of the agent (128 and more after a signal); 2 the agent could not be started.`

const OPTIONS = {
  ...COMMON_OPTIONS,
  model: { type: 'string' },
  gateway: { type: 'string' },
  own: { type: 'boolean' },
  key: { type: 'string' },
  config: { type: 'string' },
  'log-file': { type: 'string' },
  print: { type: 'boolean' },
  list: { type: 'boolean' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']

export const launchCommand: Command = {
  name: 'launch',
  summary: 'start a coding agent on any model, through the gateway',
  help: HELP,
  options: OPTIONS,
  choices: { config: 'file', 'log-file': 'file' },
  operands: IDS,
  async run(args, terminal) {
    const { values, positionals } = readOwnArguments(args)
    if (values.list) return listAgents(terminal)
    const [name, ...rest] = positionals
    if (name === undefined) throw new UsageError(`which agent? ${IDS.join(', ')}`)
    if (values.own && values.gateway !== undefined) {
      throw new UsageError('--own and --gateway do not go together')
    }
    const agent = findAgent(name)
    // Only now, because it brings packages that the other commands have no use for.
    const { orProblems } = await import('./serve/session.ts')
    return orProblems(() =>
      values.print ? showSetup(agent, values, rest, terminal) : launch(agent, values, rest),
    )
  },
}

function readOwnArguments(
  args: readonly string[],
): ReturnType<typeof readArguments<typeof OPTIONS>> {
  try {
    return readArguments(args, OPTIONS)
  } catch (error) {
    if (!(error instanceof UsageError) || args.includes('--')) throw error
    throw new UsageError(`${error.message}; options of the agent come after --`)
  }
}

function listAgents({ print, width }: Terminal): number {
  const rows = AGENTS.map((agent) => [
    agent.id,
    agent.name,
    isInstalled(agent, process.env) ? 'installed' : agent.install,
  ])
  print(table(rows, width))
  return EXIT_OK
}

// ── starting ────────────────────────────────────────────────────────────────────────────────────

async function launch(agent: Agent, values: Values, args: readonly string[]): Promise<number> {
  // First, because everything else takes time.
  const program = findProgram(agent, process.env)
  const log = openLog(values['log-file'])
  try {
    return await withGateway({ ...wishesOf(values), log }, async (gateway) => {
      const target = await targetOf(gateway, values.model)
      announce(agent, gateway, target, values)
      return start(agent, program, target, args)
    })
  } finally {
    log?.end()
  }
}

async function start(
  agent: Agent,
  program: string,
  target: Target,
  args: readonly string[],
): Promise<number> {
  const folder = createTemporaryFolder()
  try {
    const { env } = process
    const setup = agent.setup(target, { folder: folder.path, home: homedir(), env })
    folder.write(setup)
    return await runProgram({
      program,
      args: [...(setup.args ?? []), ...args],
      env: environmentFor(env, setup.env, setup.preferences),
    })
  } finally {
    folder.remove()
  }
}

async function withGateway(
  wishes: GatewayWishes,
  work: (gateway: Gateway) => Promise<number>,
): Promise<number> {
  const { findGateway, startOwn } = await import('./launch/gateway.ts')
  const gateway = (await findGateway(wishes)) ?? (await startOwn(wishes))
  try {
    return await work(gateway)
  } finally {
    await gateway.stop()
  }
}

async function targetOf(gateway: Gateway, named: string | undefined): Promise<Target> {
  const { chooseModel } = await import('./launch/model.ts')
  const { url, key } = gateway
  return { url, key, ...(await chooseModel(gateway, named)) }
}

function wishesOf(values: Values): GatewayWishes {
  const { gateway: url, own, config: configFile } = values
  return { url, own, configFile, key: values.key ?? (process.env['TOOLGLOT_KEY'] || undefined) }
}

function openLog(file: string | undefined): WriteStream | undefined {
  if (file === undefined) return undefined
  const stream = createWriteStream(file, { flags: 'a' })
  stream.on('error', (error) => {
    process.stderr.write(`toolglot: --log-file: ${error.message}\n`)
  })
  return stream
}

/** On standard error, because standard output is the agent's. */
function announce(agent: Agent, { url, isOwn }: Gateway, { model }: Target, values: Values): void {
  const { print, style } = createTerminal(process.stderr, process.env, values['no-color'] === true)
  const where = isOwn ? `a gateway of its own at ${url}` : `the gateway at ${url}`
  print(style.dim(printable(`${agent.name} with ${model}, through ${where}`)))
}

// ── --print ─────────────────────────────────────────────────────────────────────────────────────

async function showSetup(
  agent: Agent,
  values: Values,
  args: readonly string[],
  { print }: Terminal,
): Promise<number> {
  const { findGateway, usualAddress } = await import('./launch/gateway.ts')
  const wishes = wishesOf(values)
  const gateway = await findGateway(wishes)
  const target = gateway
    ? await targetOf(gateway, values.model)
    : { url: await usualAddress(wishes), key: wishes.key, model: wanted(values.model) }
  if (!gateway) print('# No gateway runs there yet: toolglot serve')
  const setup = agent.setup(target, { folder: FOLDER, home: homedir(), env: process.env })
  print(setupScript({ agent, ...target, setup, args }))
  return EXIT_OK
}

function wanted(model: string | undefined): string {
  if (model !== undefined) return model
  throw new UsageError('which model? --model <name>; no gateway runs that could be asked')
}
