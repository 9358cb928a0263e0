/** `toolglot serve`: the gateway. */
import { LOG_LEVELS, type ServerConfig } from '../gateway/config/server-config.ts'
import { COMMON_OPTIONS, oneOf, readArguments } from './arguments.ts'
import { type Command, UsageError } from './command.ts'

const HELP = `Usage: toolglot serve [options]

Starts the gateway: clients of OpenAI, Anthropic, Ollama and Gemini ask it, any model answers, and
calls that a model wrote as text come out as proper tool calls. Without a configuration it finds
Ollama, llama.cpp, LM Studio, vLLM and SGLang on this machine and the keys of providers in the
environment; the models demo/… need neither.

The configuration is toolglot.config.json (.jsonc, .ts, .mts, .js, .mjs) in this folder. It is read
again when it changes, and on SIGHUP; requests under way are not touched. Ctrl-C and SIGTERM let them
finish; a second one ends the gateway at once.

Options:
  --config <file>       the configuration, wherever it is
  --host <address>      where to listen (default 127.0.0.1: this machine only)
  --port <number>       default 4141, or the next that is free; 0 takes any
  --key <key>           clients must send this key; may be given more than once. Other people on this
                        machine can see it: the variable TOOLGLOT_API_KEYS is better
  --redis-url <url>     where several gateways share what they remember
  --log-level <level>   ${LOG_LEVELS.join(', ')}
  --log-payloads        log what clients and providers send as well
  --traffic             show live requests in the playground; --no-traffic does not
  --no-traffic
  --no-discover         look for nothing on this machine and in the environment
  --no-demo             no models demo/…
  --no-playground       no page at /
  --check               only check the configuration, and show what it comes to
  --no-color            no colours
  -h, --help            this text

Examples:
  toolglot serve
  toolglot serve --port 8080 --config gateway.json
  toolglot serve --check
  TOOLGLOT_API_KEYS=… toolglot serve --host 0.0.0.0 --redis-url redis://127.0.0.1:6379
  OPENAI_BASE_URL=http://127.0.0.1:4141/v1 OPENAI_API_KEY=none your-program

Exit codes: 0 stopped as asked, 2 the command line, the configuration or the port cannot be used.`

const OPTIONS = {
  ...COMMON_OPTIONS,
  config: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  key: { type: 'string', multiple: true },
  'redis-url': { type: 'string' },
  'log-level': { type: 'string' },
  'log-payloads': { type: 'boolean' },
  traffic: { type: 'boolean' },
  'no-traffic': { type: 'boolean' },
  'no-discover': { type: 'boolean' },
  'no-demo': { type: 'boolean' },
  'no-playground': { type: 'boolean' },
  check: { type: 'boolean' },
} as const

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values']

export const serveCommand: Command = {
  name: 'serve',
  summary: 'start the gateway: any client, any model, tool calls that work',
  help: HELP,
  options: OPTIONS,
  choices: { config: 'file', 'log-level': LOG_LEVELS },
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, OPTIONS)
    const [extra] = positionals
    if (extra !== undefined) throw new UsageError(`serve takes no arguments, but got ${extra}`)
    const order = { file: values.config, flags: readFlags(values) }
    // Only now, because it brings packages that the other commands have no use for.
    const { check, serve } = await import('./serve/session.ts')
    return values.check ? check(order, terminal) : serve(order, values['no-color'] === true)
  },
}

/** What the command line says about the configuration; what it does not mention stays undefined. */
function readFlags(values: Values): ServerConfig {
  const level = oneOf('--log-level', values['log-level'], LOG_LEVELS)
  const payloads = values['log-payloads']
  return {
    host: values.host,
    port: readPort(values.port),
    keys: readKeys(values.key),
    redisUrl: values['redis-url'],
    log: level || payloads ? { level, payloads } : undefined,
    traffic: readTraffic(values),
    discover: offOrUnsaid(values['no-discover']),
    demo: offOrUnsaid(values['no-demo']),
    playground: offOrUnsaid(values['no-playground']),
  }
}

function readPort(written: string | undefined): number | undefined {
  if (written === undefined) return undefined
  if (/^\d{1,5}$/.test(written) && Number(written) <= 65_535) return Number(written)
  throw new UsageError(`--port cannot be "${written}"; it takes a number from 0 to 65535`)
}

function readKeys(keys: readonly string[] | undefined): ServerConfig['keys'] {
  if (keys?.some((key) => key.trim() === '')) throw new UsageError('--key cannot be empty')
  return keys?.map((key, at) => ({ name: `key-${at + 1}`, key }))
}

function readTraffic({ traffic, 'no-traffic': off }: Values): boolean | undefined {
  if (traffic && off) throw new UsageError('--traffic and --no-traffic do not go together')
  return traffic ?? offOrUnsaid(off)
}

function offOrUnsaid(isOff: boolean | undefined): false | undefined {
  return isOff ? false : undefined
}
