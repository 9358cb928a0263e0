/** What Redis does in one go, by its own clock. */

/** A command that runs a script; Redis keeps what it has compiled. */
export function runScript(
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): readonly string[] {
  return ['EVAL', script, String(keys.length), ...keys, ...args.map(String)]
}

const NOW_MS = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

/**
 * As `takeAt` in request-rate.ts, in microseconds.
 * Keys: the account. Arguments: requests per minute. Answers: allowed, remaining, milliseconds to wait.
 */
export const TAKE: string = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local minute = 60000000
local each = minute / ARGV[1]
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local after = before + each
local over = after - now - minute
if over > each * 0.01 then
  return {0, 0, math.ceil(over / 1000)}
end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
return {1, math.max(0, math.floor(-over / each + 0.01)), 0}
`

/**
 * Keys: the leases. Arguments: how many there may be, how long one lasts, the name of the new one.
 * Answers 1 when there was room.
 */
export const ENTER: string = `${NOW_MS}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then
  return 0
end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`

/** Keys: the leases. Arguments: how long they last from now on, and their names. They may be unknown. */
export const RENEW: string = `${NOW_MS}
for i = 2, #ARGV do
  redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return #ARGV - 1
`

/** Keys: the account. Arguments: tokens, US dollars, how long the account is kept. */
export const ADD_SPENDING: string = `
redis.call('HINCRBYFLOAT', KEYS[1], 'tokens', ARGV[1])
redis.call('HINCRBYFLOAT', KEYS[1], 'usd', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`

/**
 * Keys: the states of circuits by name, their names by when they are forgotten. Arguments: name, failures,
 * how long it cools, the code of the error, how long that is kept, how many are kept, the channel, and
 * what is said there. That there are no failures any more is kept as well, for those who did not hear it.
 */
export const TELL_CIRCUIT: string = `${NOW_MS}
local old = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)
local tooMany = redis.call('ZCARD', KEYS[2]) - ARGV[6]
if tooMany > #old then
  old = redis.call('ZRANGE', KEYS[2], 0, tooMany - 1)
end
for _, name in ipairs(old) do
  redis.call('HDEL', KEYS[1], name)
  redis.call('ZREM', KEYS[2], name)
end
local state = string.format('%s %.0f %s', ARGV[2], now + ARGV[3], ARGV[4])
redis.call('HSET', KEYS[1], ARGV[1], state)
redis.call('ZADD', KEYS[2], now + ARGV[5], ARGV[1])
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[5]) then
    redis.call('PEXPIRE', key, ARGV[5])
  end
end
redis.call('PUBLISH', ARGV[7], ARGV[8])
return 1
`

/** Keys: as for `TELL_CIRCUIT`. Answers: name, failures, how long it cools, code, and so on. */
export const LIST_CIRCUITS: string = `${NOW_MS}
local list = {}
local states = redis.call('HGETALL', KEYS[1])
for i = 1, #states, 2 do
  local failures, till, code = string.match(states[i + 1], '^(%d+) (%d+) (.*)$')
  if failures then
    local cooldown = string.format('%.0f', math.max(0, till - now))
    for _, part in ipairs({states[i], failures, cooldown, code}) do
      table.insert(list, part)
    end
  end
end
return list
`
