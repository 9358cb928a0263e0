/** The name under which a process holds something, and whether the process behind a name still runs. */
import { createHash, randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import process from 'node:process'

/** Unknown: the process runs, or ran, where this one cannot look. */
export type Standing = 'running' | 'gone' | 'unknown'

const NAME = /^(\d+)-(\d*)-([0-9a-f]+)-[0-9a-f]+$/

const machine = hash(readMachine())
const started = readProcess(process.pid)?.started ?? ''

/** A name for this process that was never used before. */
export function newHolder(): string {
  return `${process.pid}-${started}-${machine}-${hash(randomUUID())}`
}

export function isHolder(name: string): boolean {
  return NAME.test(name)
}

/** The process id in a name. */
export function pidOf(holder: string): number {
  return Number.parseInt(holder, 10)
}

export function standingOf(holder: string): Standing {
  const [, , start, where] = NAME.exec(holder) ?? []
  if (where !== machine) return 'unknown'
  if (!isRunning(pidOf(holder))) return 'gone'
  const found = readProcess(pidOf(holder))
  if (!found) return 'running'
  // The same number may have gone to another process; and one that was killed keeps it until its
  // parent takes notice, which some parents never do.
  return found.started === start && !found.ended ? 'running' : 'gone'
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Anything but "no such process" means that it is there and belongs to somebody else.
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** What Linux tells about a process; other systems have no file for it. */
function readProcess(
  pid: number,
): { readonly started: string; readonly ended: boolean } | undefined {
  const text = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // Behind the name, which may hold spaces and brackets: the state, and 19 fields on the start.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const started = fields[19]
  return (started && { started, ended: /^[ZX]/.test(fields[0] ?? '') }) || undefined
}

// Process ids mean something only since the last start of the machine and within one container.
function readMachine(): string {
  const boot = read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))
  return `${hostname()} ${boot} ${read(() => readlinkSync('/proc/self/ns/pid'))}`
}

function read(file: () => string): string {
  try {
    return file()
  } catch {
    return ''
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
