/** The program of an agent: where it is, and running it in the user's terminal. */
import { spawn } from 'node:child_process'
import { accessSync, constants as fileConstants, statSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import type { Environment } from '../../client/endpoint.ts'
import { UsageError } from '../command.ts'
import type { Agent } from './agent.ts'

/** The path of the program. Throws when there is none, with the command that installs it. */
export function findProgram({ name, programs, install }: Agent, env: Environment): string {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder)
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : ['']
  const names = programs.flatMap((program) => endings.map((ending) => `${program}${ending}`))
  const paths = names.flatMap((program) => folders.map((folder) => join(folder, program)))
  const found = paths.find(isProgram)
  if (found !== undefined) return found
  throw new UsageError(
    `${name} is not installed: there is no ${programs.join(' or ')} on PATH. Install it with: ${install}`,
  )
}

export function isInstalled(agent: Agent, env: Environment): boolean {
  try {
    findProgram(agent, env)
    return true
  } catch {
    return false
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, fileConstants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export interface Run {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Environment
}

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves to the exit code, which is 128 and more after a signal, as in a shell. */
export async function runProgram({ program, args, env }: Run): Promise<number> {
  // Scripts of Windows need a shell, which takes its arguments as one text.
  const isScript = /\.(?:cmd|bat)$/i.test(program)
  const child = spawn(
    isScript ? `"${program}"` : program,
    isScript ? args.map(quotedForCmd) : args,
    {
      stdio: 'inherit',
      env,
      shell: isScript,
    },
  )
  // Ctrl-C goes to all programs of a terminal: the agent has it already, and decides what it means.
  const hasTerminal = process.stdin.isTTY === true
  const handlers = PASSED_ON.map((signal) => {
    const isShared = signal === 'SIGINT' && hasTerminal
    return [signal, () => void (isShared || child.kill(signal))] as const
  })
  for (const [signal, handler] of handlers) process.on(signal, handler)
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
      })
    })
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}

function quotedForCmd(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/** The environment of the user with what the agent needs. */
export function environmentFor(
  own: Environment,
  wanted: Readonly<Record<string, string | null>>,
  preferences: Readonly<Record<string, string>> = {},
): Environment {
  const set = Object.entries(wanted).filter(([, value]) => value !== null) as [string, string][] // checked by the filter
  const names = new Set(Object.keys(wanted))
  const kept = Object.entries(own).filter(([name]) => !names.has(name))
  return { ...preferences, ...Object.fromEntries(kept), ...Object.fromEntries(set) }
}
