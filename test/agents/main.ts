/** The command line of `npm run test:agents`: installs, runs, compares, and shows a table. */
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/terminal.ts'
import { TESTED, type TestedAgent } from './catalogue.ts'
import { FORMATS } from './formats.ts'
import { cacheFolder, installAgent, installNode } from './installation.ts'
import { PLANS } from './plans.ts'
import { copyBuild, findNamespace, folderOf, NAMESPACE_ADVICE, runOnce } from './run.ts'
import {
  NATIVE,
  nameOf,
  nativeOf,
  readScenario,
  type Scenario,
  USUAL_MODELS,
  VIA,
} from './scenarios.ts'
import { TRAITS } from './upstream.ts'
import { compare, type Outcome, readOutcome } from './verdict.ts'

const HELP = `Usage: npm run test:agents -- [--agent <id>…] [--format <scenario>…] [options]

Runs real coding agents through the gateway, each in a network with nothing but loopback, and
compares what they did with what they do with native calls. Without options: all agents, with
${USUAL_MODELS.join(', ')} and all plans.

A scenario is [plan:][way/]format[+trait…], such as glm45+reasoning, mcp:hermes, ollama/qwen3-coder or
by-hand/native.
  plans    ${Object.keys(PLANS).join(', ')} (default work)
  ways     by-hand (as the documents say), late (the model server starts after the agent),
           ${Object.keys(VIA).join(', ')} (through a second gateway, in that API),
           as-<name> (under a name of which the agent knows more, such as as-gpt-5.5)
  formats  ${[NATIVE, ...Object.keys(FORMATS)].join(', ')}
  traits   ${Object.entries(TRAITS)
    .map(([name, text]) => `${name.padEnd(10)} ${text}`)
    .join('\n           ')}

Options:
  --agent <id>       only this agent; may be given more than once
  --format <words>   only this scenario; may be given more than once
  --limit <seconds>  for one run (default 300)
  --results <folder> where the details go (default: in the cache)
  --install          only install
  --list             the agents
  -h, --help         this text

Agents are kept in ${cacheFolder(process.env)}
(TOOLGLOT_AGENTS_CACHE names another folder). Exit codes: 0 all runs are right, 1 some are not,
2 nothing could be run.`

const OPTIONS = {
  agent: { type: 'string', multiple: true },
  format: { type: 'string', multiple: true },
  limit: { type: 'string', default: '300' },
  results: { type: 'string' },
  install: { type: 'boolean' },
  list: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const { values } = parseArgs({ options: OPTIONS })
process.exitCode = main()

function main(): number {
  if (values.help) return show(HELP)
  if (values.list) return show(table(TESTED.map(listed), 100))
  const agents = values.agent ? values.agent.map(findAgent) : TESTED
  const scenarios = values.format?.map(understood)
  const namespace = findNamespace()
  if (!namespace && !values.install) {
    console.error(NAMESPACE_ADVICE)
    return 2
  }
  const cache = cacheFolder(process.env)
  mkdirSync(cache, { recursive: true })
  const node = installNode(cache)
  if ('problem' in node) fail(`no Node for the agents could be installed: ${node.problem}`)
  const results = resolve(values.results ?? join(cache, 'results'))
  const command = copyBuild(join(results, 'build'))
  const rows = agents.flatMap((agent) => {
    const installed = installAgent(cache, agent)
    if ('problem' in installed) return [notInstalled(agent, installed.problem)]
    if (values.install || !namespace) return []
    const programs = { agent: installed.program, node: node.program, command }
    const limitSeconds = Number(values.limit)
    return runsOf(agent, scenarios).map((scenario) => {
      return tryOut(agent, scenario, results, (folder) =>
        runOnce(agent, scenario, { folder, programs, namespace, limitSeconds }),
      )
    })
  })
  return report(rows, results)
}

interface Row {
  readonly agent: string
  readonly scenario: string
  readonly state: 'right' | 'wrong' | 'not installed'
  readonly seconds?: number
  readonly requests?: number
  readonly problems: readonly string[]
}

/** The runs with native calls come first, each before those that are compared with it. */
function runsOf(agent: TestedAgent, wanted: readonly Scenario[] | undefined): Scenario[] {
  const usual = agent.plans.flatMap((plan): Scenario[] => {
    const models = plan === 'work' ? USUAL_MODELS : [NATIVE, 'qwen3-coder', 'hermes+strict']
    return models.map((model) => ({ plan, model }))
  })
  const all = wanted?.filter(({ plan }) => agent.plans.includes(plan)) ?? usual
  const groups = new Map<string, Scenario[]>()
  for (const scenario of all) {
    const native = nameOf(nativeOf(scenario))
    const own = groups.get(native) ?? [nativeOf(scenario)]
    groups.set(native, isNative(scenario) ? own : [...own, scenario])
  }
  return [...groups.values()].flat()
}

function isNative(scenario: Scenario): boolean {
  return nameOf(scenario) === nameOf(nativeOf(scenario))
}

function tryOut(
  agent: TestedAgent,
  scenario: Scenario,
  results: string,
  run: (folder: string) => void,
): Row {
  const folder = folderOf(results, agent, scenario)
  run(folder)
  const outcome = readOutcome(folder, PLANS[scenario.plan])
  const differences = isNative(scenario)
    ? []
    : compare(outcome, nativeOutcome(agent, scenario, results))
  const problems = [...outcome.problems, ...differences]
  const row: Row = {
    agent: agent.id,
    scenario: nameOf(scenario),
    state: problems.length === 0 ? 'right' : 'wrong',
    seconds: outcome.seconds,
    requests: outcome.requests,
    problems,
  }
  console.log(line(row))
  return row
}

function nativeOutcome(agent: TestedAgent, scenario: Scenario, results: string): Outcome {
  const { plan } = scenario
  return readOutcome(folderOf(results, agent, nativeOf(scenario)), PLANS[plan])
}

function notInstalled(agent: TestedAgent, problem: string): Row {
  const row: Row = { agent: agent.id, scenario: '', state: 'not installed', problems: [problem] }
  console.log(line(row))
  return row
}

function line({ agent, scenario, state, seconds, requests, problems }: Row): string {
  const numbers = seconds === undefined ? '' : ` (${seconds} s, ${requests} requests)`
  const why = problems.length === 0 ? '' : `: ${problems.join('; ')}`
  return `${state === 'right' ? 'right' : state.toUpperCase()} ${agent} ${scenario}${numbers}${why}`
}

function report(rows: readonly Row[], results: string): number {
  if (rows.length === 0) return 0
  const agents = [...new Set(rows.map(({ agent }) => agent))]
  const summary = agents.map((agent) => {
    const own = rows.filter((row) => row.agent === agent)
    const right = own.filter(({ state }) => state === 'right').length
    const wrong = own.filter(({ state }) => state === 'wrong').map(({ scenario }) => scenario)
    const missing = own.some(({ state }) => state === 'not installed')
    return [agent, missing ? 'not installed' : `${right} of ${own.length} right`, wrong.join(', ')]
  })
  console.log(`\n${table([['agent', 'runs', 'wrong'], ...summary], 100)}`)
  if (existsSync(results)) console.log(`\nDetails: ${results}`)
  if (rows.every(({ state }) => state === 'not installed')) return 2
  return rows.some(({ state }) => state === 'wrong') ? 1 : 0
}

function findAgent(id: string): TestedAgent {
  return TESTED.find((agent) => agent.id === id) ?? fail(`no agent ${id}; --list shows them`)
}

function understood(text: string): Scenario {
  const scenario = readScenario(text)
  return typeof scenario === 'string' ? fail(`--format ${text}: ${scenario}`) : scenario
}

function listed({ id, packages, plans }: TestedAgent): string[] {
  return [id, packages[0] ?? '', plans.join(', ')]
}

function show(text: string): number {
  console.log(text)
  return 0
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
