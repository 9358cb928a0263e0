/** All commands, in the order in which they are listed. */
import type { Command } from './command.ts'
import { createCompletionCommand } from './completion.ts'
import { convertCommand } from './convert.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { extractCommand } from './extract.ts'
import { launchCommand } from './launch.ts'
import { protocolsCommand } from './protocols.ts'
import { providersCommand } from './providers.ts'
import { runCommand } from './run.ts'
import { serveCommand } from './serve.ts'

const WORKING: readonly Command[] = [
  serveCommand,
  launchCommand,
  runCommand,
  extractCommand,
  convertCommand,
  protocolsCommand,
  providersCommand,
  doctorCommand,
  demoCommand,
]

export const COMMANDS: readonly Command[] = [...WORKING, createCompletionCommand(WORKING)]
