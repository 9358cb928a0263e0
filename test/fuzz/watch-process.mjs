/**
 * Loaded before the gateway: measures how long its event loop is blocked. On a machine that is busy
 * otherwise a process may not run for a while, so a gap counts only as far as this process used the CPU in it.
 */
const TICK_MS = 10
let longest = 0
let lastTime = performance.now()
let lastUsage = process.cpuUsage()

setInterval(() => {
  const now = performance.now()
  const usage = process.cpuUsage()
  const busy = (usage.user - lastUsage.user + usage.system - lastUsage.system) / 1000
  longest = Math.max(longest, Math.min(now - lastTime - TICK_MS, busy))
  lastTime = now
  lastUsage = usage
}, TICK_MS).unref()

process.on('message', () => {
  const blockedMs = longest
  globalThis.gc?.()
  process.send?.({ blockedMs, heapBytes: process.memoryUsage().heapUsed })
  // The collection itself is our doing.
  longest = 0
  lastTime = performance.now()
  lastUsage = process.cpuUsage()
})
process.channel?.unref()
