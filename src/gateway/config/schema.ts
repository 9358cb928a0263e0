/** The schema of configuration files, for editors and for us. The documents are written from it. */

import { OWN_FIELDS } from '../../client/extra-body.ts'
import { BALANCES } from '../../client/fallback/balance.ts'
import { SYSTEM_MESSAGES } from '../../client/sending-options.ts'
import { HOSTED_TIMEOUTS, SELF_HOSTED_TIMEOUTS } from '../../client/time-limits.ts'
import { MAX_JSON_DEPTH } from '../../core/json/depth.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { REASONING_FIELDS } from '../../dialects/openai-chat/reasoning-field.ts'
import { PRESET_NAMES } from '../../presets/index.ts'
import { allProtocols } from '../../protocols/registry.ts'
import { allProviders } from '../../providers/registry.ts'
import { BUDGET_PERIODS } from '../budget.ts'
import { SEARCH_BACKENDS, WEB_SEARCH_DEFAULTS } from '../hosted/search-backends.ts'
import { LIMIT_DEFAULTS, type Limits } from '../limits.ts'
import { LOOP_GUARDS, LOOP_TIMES, type LoopGuard, REFUSED_TIMES } from '../loop-guard.ts'
import { FIRST_KEEP_ALIVE_MS, KEEP_ALIVE_MS } from '../reply-body.ts'
import { SECRET_LENGTH } from '../state/seal.ts'
import { TURN_DEFAULTS } from '../state/turn-limits.ts'
import { LOG_DEFAULTS, LOG_LEVELS, SERVER_DEFAULTS } from './server-config.ts'

const VARIABLE = `\`\${NAME}\``

/** JSON Schema 2020-12. What is secret is `writeOnly`. */
export function configSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of the Toolglot gateway',
    ...closed('Everything may be left out.', {
      $schema: text('Where this schema is, for editors.'),
      ...serverProperties(),
      ...gatewayProperties(),
    }),
    $defs: {
      provider: provider(),
      providerId: choice('provider', 'The id of a registered provider, or another name of it.', [
        ...idsOf(allProviders),
        ...allProviders.flatMap(({ aliases = [] }) => aliases),
      ]),
      protocol: choice('protocol', 'The id of a text format.', idsOf(allProtocols)),
      toolMode: choice(
        'tool mode',
        'How tools reach the model: as its service wants them (`native`), in the system prompt (`text`), or whichever works (`auto`).',
        ['auto', 'native', 'text'],
      ),
      model: model(),
      link: link(),
      price: price(),
      extraBody: closed('What requests for a model have besides.', extraBody()),
      budget: budget(),
    },
  }
}

function serverProperties(): JsonObject {
  return {
    host: text('The address to listen at. The default lets only this machine ask.', {
      default: SERVER_DEFAULTS.host,
    }),
    port: {
      type: 'integer',
      description: 'The port to listen at; 0 takes any that is free.',
      minimum: 0,
      maximum: 65_535,
      default: SERVER_DEFAULTS.port,
    },
    redisUrl: text(
      'Where several gateways keep together what they remember: `redis://host:port` or `rediss://…`.',
      { pattern: '^rediss?://', writeOnly: true },
    ),
    stateSecret: stateSecret(),
    turns: turns(),
    log: closed('What is written to the log.', {
      level: choice('level', 'How much.', LOG_LEVELS, LOG_DEFAULTS.level),
      payloads: yes('Also what clients and providers send.', LOG_DEFAULTS.payloads),
      pretty: yes('For people instead of programs. Without it: in a terminal.'),
    }),
    traffic: yes(
      'The page that shows live requests. Without it: on when `host` is this machine and there are no `keys`.',
    ),
    playground: yes('The page at `/`.', SERVER_DEFAULTS.playground),
    metrics: yes('Numbers for Prometheus at `/metrics`.', SERVER_DEFAULTS.metrics),
    discover: yes(
      'Look for servers on this machine and for keys in the environment. Without it: when there are no `providers`.',
    ),
    shutdownMs: milliseconds(
      'How long requests under way may take when the server is asked to stop.',
      SERVER_DEFAULTS.shutdownMs,
      0,
    ),
    drainMs: milliseconds(
      'How long new requests are still taken when the server is asked to stop, so that load balancers can notice; part of `shutdownMs`. Without it: for as long as they come, 5 seconds at most.',
      undefined,
      0,
    ),
    otel: yes('Spans and metrics for OpenTelemetry.', SERVER_DEFAULTS.otel),
    tls: {
      ...closed('Files in PEM format for HTTPS; paths are relative to the configuration file.', {
        cert: text('The certificate, with those above it.'),
        key: text('Its private key.'),
      }),
      required: ['cert', 'key'],
    },
  }
}

function stateSecret(): JsonObject {
  const secret = text('A secret.', { minLength: SECRET_LENGTH, writeOnly: true })
  return {
    description:
      `Encrypts what is remembered of conversations before it goes to Redis, best as ${VARIABLE}; at least ` +
      `${SECRET_LENGTH} characters. Of a list, the first writes and all of them read, so that one can be replaced.`,
    writeOnly: true,
    anyOf: [
      secret,
      {
        type: 'array',
        description: 'Several secrets.',
        minItems: 1,
        items: secret,
        writeOnly: true,
      },
    ],
  }
}

function turns(): JsonObject {
  const { ttlMs, entryBytes, entriesPerKey, bytesPerKey } = TURN_DEFAULTS
  return closed('What is remembered of conversations between two requests.', {
    ttlMs: milliseconds('How long, in memory and in Redis.', ttlMs),
    entryBytes: number('Longer turns are not kept.', { minimum: 1, default: entryBytes }),
    entriesPerKey: number('How many turns of one client key are in the memory of a gateway.', {
      minimum: 1,
      default: entriesPerKey,
    }),
    bytesPerKey: number('How much of that memory the turns of one client key may take.', {
      minimum: 1,
      default: bytesPerKey,
    }),
  })
}

function gatewayProperties(): JsonObject {
  return {
    providers: {
      type: 'object',
      description:
        'The services behind the gateway, by the name that stands before the slash in `name/model`.',
      // Named for editors, which offer what is declared.
      properties: Object.fromEntries(
        allProviders.map(({ id, name }) => [id, { $ref: '#/$defs/provider', description: name }]),
      ),
      additionalProperties: { $ref: '#/$defs/provider' },
    },
    models: {
      type: 'object',
      description:
        'Names that clients may use besides `provider/model`, and who answers to them. A `*` stands for anything, and on the right for what it stood for on the left.',
      additionalProperties: {
        anyOf: [
          text('`provider/model`, or another of these names.'),
          {
            type: 'array',
            minItems: 1,
            items: text('`provider/model`; asked one after the other.'),
          },
          { $ref: '#/$defs/model' },
        ],
      },
    },
    defaultModel: text(
      'The model for requests whose model nobody has. Without it they are refused.',
    ),
    demo: {
      description:
        'The models `demo/…`, which need no service. `false`: there are none; `true`: a few of them are listed beside other models; `"all"`: all of them. Without it, a few are listed when there is no other model.',
      enum: [true, false, 'all'],
    },
    keys: {
      type: 'array',
      description: 'Who may ask. Without any, everybody who can reach the gateway may.',
      items: clientKey(),
    },
    prices: {
      type: 'object',
      description:
        'What models cost, by `provider/model` with `*`, where that is not the list price or there is none; 0 for a model that costs nothing.',
      additionalProperties: {
        anyOf: [
          { $ref: '#/$defs/price' },
          { type: 'integer', description: 'Free.', minimum: 0, maximum: 0 },
        ],
      },
    },
    limits: limits(),
    loopGuard: loopGuard('warn'),
    rescue: closed('How calls in the text of replies become proper calls.', {
      enabled: yes('False: replies pass as they are.', true),
      ...reading('all that need no asking', 'none', REPAIR_DEFAULT),
    }),
    webSearch: webSearch(),
    forwardHeaders: headerNames('Headers of clients that are passed on besides the usual ones.'),
    returnHeaders: headerNames('Headers of providers that are passed back besides the usual ones.'),
    cors: {
      type: 'array',
      description: 'Origins of web pages that may ask, such as `https://example.com`, or `*`.',
      items: text('An origin.'),
    },
  }
}

const OWN_SERVERS =
  'local servers, `openai-compatible`, `responses-compatible` and addresses of private networks'

function webSearch(): JsonObject {
  const { maxResults, timeoutMs } = WEB_SEARCH_DEFAULTS
  return {
    ...closed('Who searches the web for models whose service cannot, when a client asks for it.', {
      provider: choice('search provider', 'The service.', Object.keys(SEARCH_BACKENDS)),
      url: text(
        'Its address, which SearXNG needs: `http://127.0.0.1:8888`. Without it: where the service usually is.',
        { pattern: '^https?://' },
      ),
      apiKey: text(`The key, best as ${VARIABLE}. Brave and Tavily need one.`, { writeOnly: true }),
      maxResults: number('Most results of a search.', {
        minimum: 1,
        maximum: 20,
        default: maxResults,
      }),
      timeoutMs: milliseconds('How long a search may take.', timeoutMs),
    }),
    required: ['provider'],
  }
}

function provider(): JsonObject {
  const { connectMs, idleMs } = HOSTED_TIMEOUTS
  return closed('A service.', {
    provider: {
      $ref: '#/$defs/providerId',
      description: 'The id of a registered provider. Without it: the name it is configured under.',
    },
    baseUrl: text('Where it is, when not where the provider usually is: `https://host/path`.'),
    apiKey: {
      description:
        `The key, best as ${VARIABLE}, or a list of keys: one that is refused or limited is left alone for a while, ` +
        "and the request is sent again with another. Without it: the provider's own environment variable.",
      writeOnly: true,
      anyOf: [
        text('The key.', { writeOnly: true }),
        {
          type: 'array',
          description: 'Several keys.',
          minItems: 1,
          items: text('A key.', { writeOnly: true }),
          writeOnly: true,
        },
      ],
    },
    keyOrder: choice(
      'order',
      'Which key of several is used: the first that is not left alone (`first`), or each in turn (`rotate`).',
      ['first', 'rotate'],
      'first',
    ),
    headers: record('Headers to send, such as one that proves who is asking.', true),
    settings: record('What the provider needs besides a key, such as a region.', true),
    toolMode: { $ref: '#/$defs/toolMode', default: 'auto' },
    protocol: {
      $ref: '#/$defs/protocol',
      description: 'The format for calls in text mode.',
      default: 'text-tagged',
    },
    ...sending('what is known of the service'),
    ...reading('as `rescue` says'),
    ...extraBody(),
    perModel: {
      type: 'object',
      description:
        '`body` and `forceBody` for some of its models, by name with `*`; the most exact name counts most.',
      additionalProperties: { $ref: '#/$defs/extraBody' },
    },
    timeouts: closed('How long it may take.', {
      connectMs: milliseconds(
        `Until it begins to answer; for streams. Without it: ${connectMs}, and for ${OWN_SERVERS} as long as \`totalMs\` allows.`,
      ),
      idleMs: milliseconds(
        `Between two chunks of a reply. Without it: ${idleMs}, and for ${OWN_SERVERS} as long as \`totalMs\` allows.`,
      ),
      totalMs: milliseconds(
        `From the request to the end of the reply. Without it: ${HOSTED_TIMEOUTS.totalMs}, and for ${OWN_SERVERS} ${SELF_HOSTED_TIMEOUTS.totalMs}.`,
      ),
    }),
    models: {
      type: 'array',
      description: 'Models to list. Any other name works as well, unless `onlyListed`.',
      items: text('The name of a model.'),
    },
    onlyListed: yes('Only the models in `models` can be asked.', false),
  })
}

const REPAIR_DEFAULT = 'guess'

/** How calls in text are read; `usual` is what holds where nothing is said. */
function reading(usual: string, preset = usual, repair?: string): JsonObject {
  return {
    protocols: {
      type: 'array',
      description: `The formats to look for in replies. Without it: ${usual}.`,
      items: { $ref: '#/$defs/protocol' },
    },
    preset: choice(
      'preset',
      `Read replies the way a certain other system does. Without it: ${preset}.`,
      PRESET_NAMES,
    ),
    repair: choice(
      'repair level',
      `How far calls that are not valid JSON are repaired.${repair === undefined ? ` Without it: ${usual}.` : ''}`,
      ['off', 'safe', 'guess'],
      repair,
    ),
  }
}

function extraBody(): JsonObject {
  const fields = (description: string): JsonObject => ({
    type: 'object',
    description,
    propertyNames: { not: { enum: [...OWN_FIELDS] } },
  })
  return {
    body: fields(
      "Fields for each request that does not have them itself, in the words of the provider's API: sampling defaults, or what only this server knows. Objects are merged.",
    ),
    forceBody: fields('The same, but these fields replace those of the request.'),
  }
}

/** How requests are written; `usual` is what holds where nothing is said. */
function sending(usual: string): JsonObject {
  return {
    systemMessages: choice(
      'choice',
      `Where system messages may be: one before all others (\`first\`; later ones become text of the user), or any number at any place (\`anywhere\`). Without it: ${usual}.`,
      SYSTEM_MESSAGES,
    ),
    reasoningField: {
      description: `The field of assistant messages in which the reasoning of earlier turns goes back to the model; false: it does not. Without it: the field in which the service sends reasoning itself, or ${usual}.`,
      anyOf: [
        choice('field', 'The field.', REASONING_FIELDS),
        { type: 'boolean', description: 'Off.', enum: [false] },
      ],
    },
    compact: {
      description: `In text mode, one line a tool instead of its whole schema (\`true\`), never (\`false\`), or as far as there is no room for more (\`auto\`). Without it: ${usual}, in the end \`auto\`.`,
      anyOf: [
        { type: 'boolean', description: 'Always, or never.' },
        choice('choice', 'As far as needed.', ['auto']),
      ],
    },
    toolListChars: number(
      "How many characters the list of tools may take in text mode before descriptions are shortened. Without it: half of the model's context.",
      { minimum: 1 },
    ),
  }
}

const INHERITED_MODE: JsonObject = {
  $ref: '#/$defs/toolMode',
  description: 'How tools reach it. Without it: as the provider says.',
}
const INHERITED_PROTOCOL: JsonObject = {
  $ref: '#/$defs/protocol',
  description: 'The format for calls in text mode. Without it: as the provider says.',
}

function model(): JsonObject {
  return {
    ...closed('Who answers to a name.', {
      chain: {
        type: 'array',
        description: 'Who is asked, one after the other.',
        minItems: 1,
        items: { anyOf: [text('`provider/model`.'), { $ref: '#/$defs/link' }] },
      },
      toolMode: INHERITED_MODE,
      protocol: INHERITED_PROTOCOL,
      ...sending('as the provider says'),
      ...reading('as the provider says'),
      ...extraBody(),
      toolFallback: choice(
        'choice',
        'What becomes of models without native tools when there are tools: left out (`skip`), or asked in words (`text`).',
        ['skip', 'text'],
        'text',
      ),
      balance: choice(
        'choice',
        'Which of several members of the same priority is asked first: the first in the list (`order`), each in turn in proportion to its weight (`weighted`), the one with the fewest requests under way (`least-busy`), or the one whose replies begin soonest (`fastest`).',
        BALANCES,
        'order',
      ),
      sticky: yes(
        'The requests of one conversation are sent to the same member, which has its beginning in the cache, unless that is much busier than the others.',
        false,
      ),
      retries: number('How often one model is asked again.', { minimum: 0 }),
      cooldownMs: milliseconds('How long a model that failed is left alone at first.', 30_000, 0),
      maxCooldownMs: milliseconds(
        'How long at most, also when the provider asks for more, and the longest `retry-after` for clients.',
        300_000,
        0,
      ),
      loopGuard: loopGuard(),
      hidden: yes('It works, but is not listed.', false),
    }),
    required: ['chain'],
  }
}

function link(): JsonObject {
  return {
    ...closed('A model in a chain.', {
      model: text('`provider/model`.'),
      toolMode: INHERITED_MODE,
      protocol: INHERITED_PROTOCOL,
      ...sending('as the name or the provider says'),
      ...reading('as the name or the provider says'),
      ...extraBody(),
      priority: {
        type: 'number',
        description: 'The lowest is asked first; among equals the order counts.',
        default: 0,
      },
      weight: {
        type: 'number',
        description:
          'How many requests it gets in proportion to others of its priority, with `balance` or `sticky`.',
        exclusiveMinimum: 0,
        default: 1,
      },
      contextWindow: number(
        'How many tokens the model can read. What was too long for another that reads as much or more is not tried here.',
        { minimum: 1 },
      ),
    }),
    required: ['model'],
  }
}

function clientKey(): JsonObject {
  return {
    ...closed('A client.', {
      name: text('For logs and metrics.'),
      key: text(`The key itself, best as ${VARIABLE}, or \`sha256:\` and its digest in hex.`, {
        writeOnly: true,
      }),
      models: {
        type: 'array',
        description: 'Names of models that may be asked, with `*`. Without it: all.',
        items: text('A name, with `*`.'),
      },
      requestsPerMinute: number('Requests in a minute.', { minimum: 1 }),
      concurrency: number('Requests at a time.', { minimum: 1 }),
      budget: { $ref: '#/$defs/budget' },
      loopGuard: loopGuard(),
      admin: yes('May also see traffic, metrics and usage.', false),
      manage: yes(
        'May also change which models an Ollama server has: pull, create, copy, push and delete them.',
        false,
      ),
    }),
    required: ['name', 'key'],
  }
}

function loopGuard(usual?: LoopGuard): JsonObject {
  const inherited =
    usual === undefined
      ? ' Of a key, a model and the gateway, the first that says something counts.'
      : ''
  return choice(
    'choice',
    `What becomes of agents that make the same call with the same result ${LOOP_TIMES} times: nothing (\`off\`), a report (\`warn\`), or a note to the model as well and an error after ${REFUSED_TIMES} times (\`stop\`).${inherited}`,
    LOOP_GUARDS,
    usual,
  )
}

function budget(): JsonObject {
  return closed(
    'What the key may spend. With both, the one that is used up first counts; requests after that are answered with `429` until the next period begins.',
    {
      usd: {
        type: 'number',
        description: 'US dollars. Every model that the key asks must have a price.',
        exclusiveMinimum: 0,
      },
      tokens: number('Tokens, of input and output together.', { minimum: 1 }),
      per: choice('choice', "The calendar's, in UTC.", BUDGET_PERIODS, 'month'),
    },
  )
}

function price(): JsonObject {
  const dollars = (description: string): JsonObject => {
    return { type: 'number', description, minimum: 0 }
  }
  return {
    ...closed('US dollars for a million tokens.', {
      input: dollars('Input.'),
      output: dollars('Output.'),
      cacheRead: dollars('Input that was read from the cache. Without it: as `input`.'),
      cacheWrite: dollars('Input that was written to the cache. Without it: as `input`.'),
    }),
    required: ['input', 'output'],
  }
}

function limits(): JsonObject {
  return closed('How much, how many and how long.', {
    requestBytes: limit('requestBytes', 'The longest request.'),
    uploadBytes: limit(
      'uploadBytes',
      'The longest form with files, such as audio to transcribe or pictures to edit.',
    ),
    blobBytes: limit(
      'blobBytes',
      'The longest file of a model that is sent to an Ollama server; passed on as it comes.',
    ),
    replyBytes: limit('replyBytes', 'The longest reply.'),
    concurrency: limit(
      'concurrency',
      'Requests at a time, of all clients together; more are refused.',
    ),
    headerBytes: limit('headerBytes', 'Address and headers of a request together.'),
    modelNameLength: limit('modelNameLength', 'Characters in the name of a model.'),
    toolNameLength: limit('toolNameLength', 'Characters in the name of a tool.'),
    jsonDepth: limit('jsonDepth', 'Levels of nesting in the body of a request.', MAX_JSON_DEPTH),
    jsonValues: limit(
      'jsonValues',
      'Objects, lists, texts, numbers and so on in the body of a request.',
    ),
    messages: limit('messages', 'Messages of a conversation.'),
    tools: limit('tools', 'Tools that a request offers.'),
    toolBytes: limit('toolBytes', 'The longest definition of a tool, as JSON.'),
    toolsBytes: limit('toolsBytes', 'The definitions of all tools of a request together.'),
    stalledClientMs: milliseconds(
      'Until a client that takes nothing of its reply is given up; until then its request is under way.',
      60_000,
    ),
    unreadBytes: limit(
      'unreadBytes',
      'Memory of whole replies that clients have yet to take, of all together; beyond it, those that have taken nothing for the longest are given up.',
    ),
    clientHeadersMs: milliseconds('Until a client has sent its headers.', 10_000),
    clientBodyMs: milliseconds(
      'Until a client has sent its body; of the file of a model, until more of it comes.',
      60_000,
    ),
    keepAliveMs: milliseconds(
      'Silence in a stream after which a sign of life is sent.',
      KEEP_ALIVE_MS,
    ),
    firstKeepAliveMs: milliseconds(
      'The same before a stream has begun. From then on its status is `200`, and an error is a part of it.',
      FIRST_KEEP_ALIVE_MS,
    ),
  })
}

function limit(name: keyof Limits, description: string, maximum?: number): JsonObject {
  const most = maximum === undefined ? {} : { maximum }
  return number(description, { minimum: 1, ...most, default: LIMIT_DEFAULTS[name] })
}

function idsOf(all: readonly { readonly id: string }[]): string[] {
  return all.map(({ id }) => id)
}

function text(description: string, more: JsonObject = {}): JsonObject {
  return { type: 'string', description, minLength: 1, ...more }
}

function number(description: string, more: JsonObject = {}): JsonObject {
  return { type: 'integer', description, ...more }
}

/** Timers of more than 24 days fire at once. */
const LONGEST_MS = 2 ** 31 - 1

function milliseconds(description: string, usual?: number, minimum = 1): JsonObject {
  const fallback = usual === undefined ? {} : { default: usual }
  return number(`${description} In milliseconds.`, { minimum, maximum: LONGEST_MS, ...fallback })
}

function yes(description: string, usual?: boolean): JsonObject {
  return { type: 'boolean', description, ...(usual !== undefined && { default: usual }) }
}

/** The title is what messages call it. */
function choice(
  title: string,
  description: string,
  members: readonly string[],
  usual?: string,
): JsonObject {
  const fallback: JsonObject = usual === undefined ? {} : { default: usual }
  return { title, type: 'string', description, enum: [...members], ...fallback }
}

function record(description: string, writeOnly: boolean): JsonObject {
  return { type: 'object', description, additionalProperties: { type: 'string' }, writeOnly }
}

function headerNames(description: string): JsonObject {
  const name: JsonValue = {
    type: 'string',
    description: 'The name of a header, in lower case.',
    pattern: "^[a-z0-9!#$%&'*+.^_`|~-]+$",
  }
  return { type: 'array', description, items: name }
}

/** An object with these properties and no others. */
function closed(description: string, properties: JsonObject): JsonObject {
  return { type: 'object', description, properties, additionalProperties: false }
}
