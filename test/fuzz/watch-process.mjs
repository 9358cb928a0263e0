/**
 * Loaded before the gateway: measures how long its event loop is blocked. On a machine that is busy
 * otherwise a process may not run for a while, so a gap counts only as far as the thread used the CPU in it.
 */
import { readFileSync } from 'node:fs'

const TICK_MS = 10
/** The first thread of a process has its id; the first number of the file is its time on the CPU in nanoseconds. */
const SCHEDULE = `/proc/self/task/${process.pid}/schedstat`
const cpuMs = readsSchedule() ? threadMs : processMs
let longest = 0
let lastTime = performance.now()
let lastBusy = cpuMs()

setInterval(() => {
  const now = performance.now()
  const busy = cpuMs()
  longest = Math.max(longest, Math.min(now - lastTime - TICK_MS, busy - lastBusy))
  lastTime = now
  lastBusy = busy
}, TICK_MS).unref()

function readsSchedule() {
  try {
    return threadMs() > 0
  } catch {
    return false
  }
}

function threadMs() {
  return Number.parseInt(readFileSync(SCHEDULE, 'latin1'), 10) / 1e6
}

/** Where Linux does not say it. The collector of garbage has threads of its own, which count here. */
function processMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

process.on('message', () => {
  const blockedMs = longest
  globalThis.gc?.()
  process.send?.({ blockedMs, heapBytes: process.memoryUsage().heapUsed })
  // The collection itself is our doing.
  longest = 0
  lastTime = performance.now()
  lastBusy = cpuMs()
})
process.channel?.unref()
