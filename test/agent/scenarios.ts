/** The scenarios of the agent loop. Each is played natively and in three text formats. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  all,
  any,
  finishTool,
  halt,
  stepsReach,
  submit,
  textMatches,
  tokensReach,
  toolWasCalled,
} from '../../src/agent/index.ts'
import { failure } from '../../src/agent/tool-output.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import { calls, doing, getWeather, mailTo, type Scenario, sendMail, weatherIn } from './scenario.ts'

const never = new AbortController().signal
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))
const big = 'x'.repeat(50_000)

export const scenarios: readonly Scenario[] = [
  // ── plain runs ──
  {
    name: 'a plain answer',
    script: [{ text: 'Take a coat.' }],
    finish: 'stop',
    ran: [],
    steps: 0,
    text: 'Take a coat.',
  },
  {
    name: 'one call, then the answer',
    script: [{ calls: [weatherIn('Oslo')] }, { text: 'No coat.' }],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    results: ['Oslo: sunny'],
    text: 'No coat.',
    steps: 1,
  },
  {
    name: 'text beside a call is kept',
    script: [{ text: 'Let me look.', calls: [weatherIn('Oslo')] }, { text: 'No coat.' }],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    check: ({ result }) => expectSaid(result.messages, 'Let me look.'),
  },
  {
    name: 'two calls in one reply, answered in their order',
    script: [{ calls: [weatherIn('Oslo'), weatherIn('Rome')] }, { text: 'Done.' }],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}', 'get_weather {"city":"Rome"}'],
    results: ['Oslo: sunny', 'Rome: sunny'],
  },
  {
    name: 'three turns in a row',
    script: [
      { calls: [weatherIn('Oslo')] },
      { calls: [weatherIn('Rome')] },
      { calls: [mailTo('ann')] },
      { text: 'Done.' },
    ],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}', 'get_weather {"city":"Rome"}', 'send_mail {"to":"ann"}'],
    steps: 3,
  },
  {
    name: 'the same call twice in one reply runs twice',
    script: [{ calls: [mailTo('ann'), mailTo('ann')] }, { text: 'Done.' }],
    finish: 'stop',
    ran: ['send_mail {"to":"ann"}', 'send_mail {"to":"ann"}'],
  },
  {
    name: 'the text of the result is the last that is not blank',
    script: [{ text: 'Looking.', calls: [weatherIn('Oslo')] }, { text: '' }],
    finish: 'stop',
    text: /^Looking\.\s*$/,
  },
  {
    name: 'reasoning is no answer and no call',
    script: [
      { reasoning: 'They want the weather.', calls: [weatherIn('Oslo')] },
      { text: 'Sunny.' },
    ],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    text: 'Sunny.',
  },
  {
    name: 'without streaming',
    script: [{ calls: [weatherIn('Oslo')] }, { text: 'Sunny.' }],
    options: { stream: false },
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    text: 'Sunny.',
  },
  {
    name: 'a tool without arguments',
    script: [{ calls: [calls('now')] }, { text: 'Noon.' }],
    tools: [doing('now', () => '12:00')],
    finish: 'stop',
    ran: ['now {}'],
    results: ['12:00'],
  },

  // ── arguments ──
  {
    name: 'arguments are brought into the types of the schema',
    script: [
      { calls: [{ name: 'get_weather', arguments: { city: 'Oslo', days: '3' } }] },
      { text: 'Sunny.' },
    ],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo","days":3}'],
    results: ['Oslo: sunny for 3 days'],
  },
  {
    name: 'a missing argument is told with its name',
    script: [{ calls: [{ name: 'get_weather', arguments: { days: 2 } }] }, { text: 'Hm.' }],
    finish: 'stop',
    ran: [],
    results: [/^InvalidArgs: invalid arguments: .*city/],
  },
  {
    name: 'a value out of range is told with its path',
    script: [
      { calls: [{ name: 'get_weather', arguments: { city: 'Oslo', days: 0 } }] },
      { calls: [{ name: 'get_weather', arguments: { city: 'Oslo', days: 1 } }] },
      { text: 'Sunny.' },
    ],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo","days":1}'],
    results: [/^InvalidArgs: .*days/, 'Oslo: sunny for 1 days'],
  },
  {
    name: 'an argument that is not known is refused when the schema says so',
    script: [
      { calls: [{ name: 'get_weather', arguments: { city: 'Oslo', mood: 'good' } }] },
      { text: 'Hm.' },
    ],
    finish: 'stop',
    ran: [],
    results: [/^InvalidArgs: .*mood/],
  },
  {
    name: 'one bad call among good ones is the only one not run',
    script: [
      { calls: [weatherIn('Oslo'), { name: 'get_weather', arguments: {} }, weatherIn('Rome')] },
      { text: 'Done.' },
    ],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}', 'get_weather {"city":"Rome"}'],
    results: ['Oslo: sunny', /^InvalidArgs/, 'Rome: sunny'],
  },

  // ── calls that cannot be read ──
  {
    name: 'arguments that are not JSON are sent back',
    script: [
      { calls: [{ name: 'get_weather', rawArguments: '{broken' }] },
      { calls: [weatherIn('Oslo')] },
      { text: 'Sunny.' },
    ],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    results: [/^InvalidArgs: tool arguments were not valid JSON: [\s\S]*\{broken/, 'Oslo: sunny'],
  },
  {
    name: 'a call cut off by the limit of tokens never runs',
    script: [
      { calls: [{ name: 'send_mail', rawArguments: '{"to": "an' }], finishReason: 'length' },
      { text: 'Gave up.' },
    ],
    finish: 'stop',
    ran: [],
    check: ({ result }) => expectError(result.messages, /cut off|not valid|Truncated/),
  },
  {
    name: 'an unknown tool is answered with the nearest name and all names',
    script: [{ calls: [{ name: 'get_wether', arguments: { city: 'Oslo' } }] }, { text: 'Hm.' }],
    finish: 'stop',
    ran: [],
    results: [
      'UnknownTool: unknown tool: get_wether. Available tools: get_weather, send_mail. Did you mean "get_weather"?',
    ],
  },
  {
    name: 'an unknown tool unlike all others gets no guess',
    script: [{ calls: [{ name: 'zzz', arguments: {} }] }, { text: 'Hm.' }],
    finish: 'stop',
    ran: [],
    results: ['UnknownTool: unknown tool: zzz. Available tools: get_weather, send_mail.'],
  },
  {
    name: 'a good call beside an unknown one runs',
    script: [{ calls: [weatherIn('Oslo'), { name: 'zzz' }] }, { text: 'Done.' }],
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    results: ['Oslo: sunny', /^UnknownTool: unknown tool: zzz/],
  },
  {
    name: 'a run can end at the first call that cannot be read',
    script: [{ calls: [{ name: 'get_weather', rawArguments: '{broken' }] }],
    options: { onMalformed: 'halt' },
    finish: 'malformed-call',
    ran: [],
  },

  // ── results ──
  {
    name: 'a value becomes JSON',
    script: [{ calls: [calls('facts')] }, { text: 'Ok.' }],
    tools: [doing('facts', () => ({ temperature: 4, unit: 'C' }))],
    finish: 'stop',
    results: ['{"temperature":4,"unit":"C"}'],
  },
  {
    name: 'a number and a boolean become JSON',
    script: [{ calls: [calls('one'), calls('yes')] }, { text: 'Ok.' }],
    tools: [doing('one', () => 1), doing('yes', () => true)],
    finish: 'stop',
    results: ['1', 'true'],
  },
  {
    name: 'nothing becomes an empty result',
    script: [{ calls: [calls('quiet')] }, { text: 'Ok.' }],
    tools: [doing('quiet', () => undefined)],
    finish: 'stop',
    results: [''],
  },
  {
    name: 'a promise is awaited',
    script: [{ calls: [calls('later')] }, { text: 'Ok.' }],
    tools: [doing('later', async () => 'now')],
    finish: 'stop',
    results: ['now'],
  },
  {
    name: 'images stay parts',
    script: [{ calls: [calls('look')] }, { text: 'A dot.' }],
    tools: [
      doing('look', () => [
        { type: 'text', text: 'a dot' },
        { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
      ]),
    ],
    finish: 'stop',
    results: [/"type":"image"/],
  },
  {
    name: 'a value that is no JSON is an error',
    script: [{ calls: [calls('loop')] }, { text: 'Ok.' }],
    tools: [doing('loop', () => circular())],
    finish: 'stop',
    results: [/^InvalidResult: invalid tool return/],
  },
  {
    name: 'progress is told, the last value is the result',
    script: [{ calls: [calls('copy')] }, { text: 'Ok.' }],
    tools: [
      doing('copy', async function* () {
        yield '10 %'
        yield '50 %'
        yield 'copied'
      }),
    ],
    finish: 'stop',
    results: ['copied'],
    check: ({ events }) => {
      const told = events.flatMap((event) => (event.type === 'tool-progress' ? [event.value] : []))
      if (told.join() !== '10 %,50 %') throw new Error(`progress was ${told.join()}`)
    },
  },
  {
    name: 'what a generator returns is the result',
    script: [{ calls: [calls('copy')] }, { text: 'Ok.' }],
    tools: [
      doing('copy', async function* () {
        yield '10 %'
        return 'copied'
      }),
    ],
    finish: 'stop',
    results: ['copied'],
  },
  {
    name: 'an exception is an error with its code',
    script: [{ calls: [calls('read')] }, { text: 'Ok.' }],
    tools: [
      doing('read', () => {
        throw Object.assign(new Error('no such file: a.txt'), { code: 'ENOENT' })
      }),
    ],
    finish: 'stop',
    results: ['ENOENT: no such file: a.txt'],
  },
  {
    name: 'something thrown that is no error',
    script: [{ calls: [calls('odd')] }, { text: 'Ok.' }],
    tools: [
      doing('odd', () => {
        throw 'just a word'
      }),
    ],
    finish: 'stop',
    results: [/: just a word$/],
  },
  {
    name: 'a failure that is no exception',
    script: [{ calls: [calls('book')] }, { text: 'Ok.' }],
    tools: [doing('book', () => failure('sold out', 'SoldOut'))],
    finish: 'stop',
    results: ['SoldOut: sold out'],
  },
  {
    name: 'a result too long keeps its beginning and its end',
    script: [{ calls: [calls('read')] }, { text: 'Ok.' }],
    tools: [doing('read', () => `start${big}end`)],
    finish: 'stop',
    results: [/^start[\s\S]*characters left out[\s\S]*end$/],
    check: ({ result }) => {
      const [told] = result.messages.flatMap(({ toolResults = [] }) => toolResults)
      if (String(told?.content).length > 6000) throw new Error('the result is too long')
    },
  },
  {
    name: 'a result is cut between characters',
    script: [{ calls: [calls('read')] }, { text: 'Ok.' }],
    tools: [doing('read', () => '😀'.repeat(20_000))],
    options: { resultBudget: { perResult: 101, head: 51, tail: 31 } },
    finish: 'stop',
    check: ({ result }) => {
      const [told] = result.messages.flatMap(({ toolResults = [] }) => toolResults)
      if (/[\ud800-\udfff]/u.test(String(told?.content)))
        throw new Error('a character was cut in two')
    },
  },

  // ── time and order ──
  {
    name: 'a tool that takes too long is given up',
    script: [{ calls: [calls('slow')] }, { text: 'Ok.' }],
    tools: [doing('slow', () => pause(5000), { timeoutMs: 20 })],
    finish: 'stop',
    results: [/^Timeout: tool call 'slow' timed out/],
  },
  {
    name: "the run's own limit of time holds for tools without one",
    script: [{ calls: [calls('slow')] }, { text: 'Ok.' }],
    tools: [doing('slow', () => pause(5000))],
    options: { toolTimeoutMs: 20 },
    finish: 'stop',
    results: [/^Timeout/],
  },
  {
    name: 'a tool is told when its time is up',
    script: [{ calls: [calls('slow')] }, { text: 'Ok.' }],
    tools: [
      doing(
        'slow',
        (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('told')))
          }),
        { timeoutMs: 20 },
      ),
    ],
    finish: 'stop',
    results: [/^Timeout/],
  },
  {
    name: 'calls that are safe run beside each other and are answered in order',
    script: [{ calls: [calls('slow'), calls('fast')] }, { text: 'Ok.' }],
    tools: [
      doing('slow', async () => pause(60).then(() => 'slow'), { concurrencySafe: true }),
      doing('fast', async () => 'fast', { concurrencySafe: true }),
    ],
    finish: 'stop',
    ran: ['slow {}', 'fast {}'],
    results: ['slow', 'fast'],
    check: ({ events }) => {
      const order = events.flatMap((event) =>
        event.type === 'tool-result' ? [event.call.name] : [],
      )
      if (order.join() !== 'fast,slow') throw new Error(`ended in the order ${order.join()}`)
    },
  },
  {
    name: 'a read before a write is done before it',
    script: [{ calls: [calls('read'), calls('write'), calls('read')] }, { text: 'Ok.' }],
    tools: () => {
      let value = 'old'
      return [
        doing('read', async () => pause(10).then(() => value), { concurrencySafe: true }),
        doing('write', () => {
          const before = value
          value = 'new'
          return before
        }),
        doing('reset', () => {
          value = 'old'
        }),
      ]
    },
    finish: 'stop',
    ran: ['read {}', 'write {}', 'read {}'],
    check: ({ result }) => {
      const told = result.messages.flatMap(({ toolResults = [] }) => toolResults)
      if (told[0]?.content !== told[1]?.content) throw new Error('the read came after the write')
      if (told[2]?.content !== 'new') throw new Error('the second read came before the write')
    },
  },
  {
    name: 'a transient failure is tried again',
    script: [{ calls: [calls('net')] }, { text: 'Ok.' }],
    tools: () => {
      let attempts = 0
      return [
        doing(
          'net',
          () => {
            attempts++
            if (attempts % 2 === 1) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
            return 'got it'
          },
          { retries: 2 },
        ),
      ]
    },
    finish: 'stop',
    results: ['got it'],
  },

  // ── limits ──
  {
    name: 'the steps are limited',
    script: (_, turn) => ({ calls: [weatherIn(`city ${turn}`)] }),
    options: { maxSteps: 3 },
    finish: 'max-steps',
    steps: 3,
  },
  {
    name: 'three turns of nothing but failures are enough',
    script: (_, turn) => ({ calls: [{ name: `nothing${turn}` }] }),
    finish: 'max-mistakes',
    steps: 3,
  },
  {
    name: 'three failures in one turn are one mistake',
    script: [{ calls: [calls('a1'), calls('b1'), calls('c1')] }, { text: 'Ok.' }],
    finish: 'stop',
  },
  {
    name: 'a success forgives the mistakes before it',
    script: [
      { calls: [calls('a1')] },
      { calls: [weatherIn('Oslo')] },
      { calls: [calls('b1')] },
      { text: 'Ok.' },
    ],
    options: { maxMistakes: 2 },
    finish: 'stop',
  },
  {
    name: 'the same call with the same result leads nowhere',
    script: [{ calls: [weatherIn('Oslo')] }],
    finish: 'no-progress',
    steps: 4,
  },
  {
    name: 'the same call with another result is progress',
    script: (_, turn) => (turn < 8 ? { calls: [calls('poll')] } : { text: 'Ready.' }),
    tools: () => {
      let count = 0
      return [doing('poll', () => `${count++} %`)]
    },
    finish: 'stop',
    steps: 8,
  },
  {
    name: 'new text beside the same call is progress',
    script: (_, turn) =>
      turn < 6 ? { text: `Try ${turn}.`, calls: [weatherIn('Oslo')] } : { text: 'Ok.' },
    finish: 'stop',
    steps: 6,
  },
  {
    name: 'the budget of tokens',
    script: (_, turn) => ({
      calls: [weatherIn(`city ${turn}`)],
      usage: { inputTokens: 900, outputTokens: 100, totalTokens: 1000 },
    }),
    options: { budget: { tokens: 2500 } },
    finish: 'max-budget',
    steps: 3,
  },
  {
    name: 'the budget of money',
    script: (_, turn) => ({ calls: [weatherIn(`city ${turn}`)] }),
    options: { budget: { costUsd: 0.02 }, priceOf: () => 0.01 },
    finish: 'max-budget',
    steps: 2,
    check: ({ result }) => {
      if (result.costUsd !== 0.02) throw new Error(`it cost ${result.costUsd}`)
    },
  },
  {
    name: 'thinking without an answer gets more tokens once',
    script: [
      { reasoning: 'Hm.', finishReason: 'length', usage: { inputTokens: 50, outputTokens: 100 } },
      { text: 'Sunny.' },
    ],
    options: { request: { maxTokens: 100 } },
    finish: 'stop',
    text: 'Sunny.',
    check: ({ model }) => {
      if (model.requests[1]?.maxTokens !== 400) throw new Error('the limit was not raised')
    },
  },
  {
    name: 'thinking without an answer twice ends the run',
    script: [{ reasoning: 'Hm.', finishReason: 'length', usage: { outputTokens: 100 } }],
    options: { request: { maxTokens: 100 } },
    finish: 'starved',
  },
  {
    name: 'an answer that is cut off says so',
    script: [{ text: 'Once upon a', finishReason: 'length' }],
    finish: 'length',
    text: 'Once upon a',
  },
  {
    name: 'a stop condition on the tool that was called',
    script: (_, turn) => ({ calls: [turn === 0 ? weatherIn('Oslo') : mailTo('ann')] }),
    options: { stopWhen: toolWasCalled('send_mail') },
    finish: 'stop-condition',
    steps: 2,
  },
  {
    name: 'stop conditions combine',
    script: (_, turn) => ({ text: `Turn ${turn}.`, calls: [weatherIn(`city ${turn}`)] }),
    options: { stopWhen: [all(stepsReach(2), any(textMatches(/Turn 3/), tokensReach(1e9)))] },
    finish: 'stop-condition',
    steps: 4,
  },

  // ── endings by tools ──
  {
    name: 'the finish tool hands in a deliverable',
    script: [{ calls: [{ name: 'finish', arguments: { deliverable: 'The plan.' } }] }],
    tools: [finishTool(), getWeather],
    finish: 'submitted',
    check: ({ result, events }) => {
      if (result.deliverable !== 'The plan.') throw new Error(`handed in ${result.deliverable}`)
      const last = events.slice(-3).map(({ type }) => type)
      if (!last.includes('submitted')) throw new Error('nobody was told')
    },
  },
  {
    name: 'the finish tool with nothing to hand in',
    script: [{ calls: [calls('finish')] }],
    tools: [finishTool()],
    finish: 'submitted',
    check: ({ result }) => {
      if (result.deliverable !== null) throw new Error(`handed in ${result.deliverable}`)
    },
  },
  {
    name: 'calls behind the one that ends the run are closed, not run',
    script: [{ calls: [{ name: 'finish', arguments: { summary: 'Done.' } }, mailTo('ann')] }],
    tools: [finishTool(), sendMail],
    finish: 'submitted',
    ran: ['finish {"summary":"Done."}'],
    results: ['Submitted.', /^not_executed: send_mail was not executed/],
  },
  {
    name: 'a tool can stop the run',
    script: [{ calls: [calls('alarm'), mailTo('ann')] }],
    tools: [doing('alarm', () => halt('smoke')), sendMail],
    finish: 'halted',
    ran: ['alarm {}'],
    results: ['smoke', /^not_executed/],
  },
  {
    name: 'any tool can hand in the work',
    script: [{ calls: [calls('deliver')] }],
    tools: [doing('deliver', () => submit('here'))],
    finish: 'submitted',
    results: ['Submitted.'],
  },

  // ── permissions, approval, hooks ──
  {
    name: 'a tool on the list of denied ones',
    script: [{ calls: [mailTo('ann')] }, { text: 'Then not.' }],
    options: { permissions: { deny: ['send_*'] } },
    finish: 'stop',
    ran: [],
    results: ['Denied: send_mail is disallowed'],
  },
  {
    name: 'a tool that is not on the list of allowed ones',
    script: [{ calls: [mailTo('ann'), weatherIn('Oslo')] }, { text: 'Then not.' }],
    options: { permissions: { allow: ['get_weather'] } },
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    results: [/^Denied/, 'Oslo: sunny'],
  },
  {
    name: 'while planning only tools that read',
    script: [{ calls: [mailTo('ann'), weatherIn('Oslo')] }, { text: 'The plan.' }],
    options: { permissions: { phase: 'plan' } },
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
    results: [/^Denied: send_mail is not available in this phase/, 'Oslo: sunny'],
  },
  {
    name: 'a callback decides by the arguments',
    script: [{ calls: [mailTo('ann'), mailTo('bob')] }, { text: 'Ok.' }],
    options: {
      permissions: {
        canUse: ({ arguments: args }) =>
          args['to'] === 'ann' ? true : { allow: false, reason: 'not to him' },
      },
    },
    finish: 'stop',
    ran: ['send_mail {"to":"ann"}'],
    results: ['sent to ann', 'Denied: not to him'],
  },
  {
    name: 'the same denied call forever leads nowhere',
    script: [{ calls: [mailTo('ann')] }],
    options: { permissions: { deny: ['send_mail'] } },
    finish: 'no-progress',
    ran: [],
  },
  {
    name: 'approval by a callback',
    script: [{ calls: [mailTo('ann')] }, { text: 'Sent.' }],
    tools: [{ ...sendMail, needsApproval: () => true }],
    options: { approve: () => true },
    finish: 'stop',
    ran: ['send_mail {"to":"ann"}'],
  },
  {
    name: 'a callback that does not approve',
    script: [{ calls: [mailTo('ann')] }, { text: 'Then not.' }],
    tools: [{ ...sendMail, needsApproval: () => true }],
    options: { approve: () => ({ approved: false, reason: 'too late today' }) },
    finish: 'stop',
    ran: [],
    results: ['Denied: too late today'],
  },
  {
    name: 'a callback that approves something else',
    script: [{ calls: [mailTo('ann')] }, { text: 'Sent.' }],
    tools: [{ ...sendMail, needsApproval: () => true }],
    options: { approve: () => ({ approved: true, arguments: { to: 'bob' } }) },
    finish: 'stop',
    ran: ['send_mail {"to":"bob"}'],
  },
  {
    name: 'without a callback the run waits, and nothing of the turn has run',
    script: [{ calls: [weatherIn('Oslo'), mailTo('ann')] }],
    tools: [getWeather, { ...sendMail, needsApproval: () => true }],
    finish: 'paused',
    ran: [],
    check: ({ result }) => {
      if (result.pending?.[0]?.call.name !== 'send_mail') throw new Error('nothing waits')
    },
  },
  {
    name: 'a hook denies a call',
    script: [{ calls: [mailTo('ann')] }, { text: 'Ok.' }],
    options: {
      hooks: { beforeTool: ({ name }) => (name === 'send_mail' ? { deny: 'no mail' } : {}) },
    },
    finish: 'stop',
    ran: [],
    results: ['Denied: no mail'],
  },
  {
    name: 'a hook changes arguments',
    script: [{ calls: [mailTo('ann')] }, { text: 'Ok.' }],
    options: { hooks: { beforeTool: () => ({ arguments: { to: 'everybody' } }) } },
    finish: 'stop',
    ran: ['send_mail {"to":"everybody"}'],
  },
  {
    name: 'hooks add to a result, one below the other',
    script: [{ calls: [weatherIn('Oslo')] }, { text: 'Ok.' }],
    options: {
      hooks: [
        { afterTool: () => ({ append: 'first' }) },
        { afterTool: () => ({ append: '' }) },
        { afterTool: () => ({ append: 'second' }) },
      ],
    },
    finish: 'stop',
    results: ['Oslo: sunny\n\nfirst\nsecond'],
  },
  {
    name: 'a hook stops the run before the model is asked',
    script: [{ text: 'never' }],
    options: { hooks: { beforeStep: () => ({ halt: 'closed' }) } },
    finish: 'halted',
    check: ({ model }) => {
      if (model.requests.length > 0) throw new Error('the model was asked')
    },
  },
  {
    name: 'a hook that throws stops the run, with all calls answered',
    script: [{ calls: [weatherIn('Oslo')] }],
    options: {
      hooks: {
        afterTool: () => {
          throw new Error('broken hook')
        },
      },
    },
    finish: 'halted',
    results: [/^not_executed/],
  },
  {
    name: 'a call that took effect before a hook threw is not offered again',
    script: [{ calls: [mailTo('ann'), mailTo('bob')] }],
    options: { hooks: { afterTool: broken } },
    finish: 'halted',
    ran: ['send_mail {"to":"ann"}'],
    results: [
      /^Interrupted: send_mail was begun.*Find out before you call it again/,
      /^not_executed: send_mail was not executed/,
    ],
  },
  {
    name: 'what runs beside a call whose hook throws comes to its end and is kept',
    script: [{ calls: [calls('quick'), calls('slow')] }],
    tools: [
      doing('quick', () => 'quick', { concurrencySafe: true }),
      doing('slow', () => sleep(50).then(() => 'slow'), { concurrencySafe: true }),
    ],
    options: { hooks: { afterTool: ({ name }) => (name === 'quick' ? broken() : undefined) } },
    finish: 'halted',
    ran: ['quick {}', 'slow {}'],
    results: [/^Interrupted: quick was begun/, 'slow'],
  },
  ...['yes', 1, {}, { approved: 'true' }].map(
    (answer): Scenario => ({
      name: `an answer that nobody understands is no approval (${JSON.stringify(answer)})`,
      script: [{ calls: [mailTo('ann')] }, { text: 'Then not.' }],
      tools: [{ ...sendMail, needsApproval: () => true }],
      // As a caller without types gives it.
      options: { approve: () => answer as never },
      finish: 'stop',
      ran: [],
      results: [/^Denied: send_mail was not approved: .* no clear answer/],
    }),
  ),
  {
    name: 'a time limit may be endless',
    script: [{ calls: [calls('wait')] }, { text: 'Ok.' }],
    tools: [doing('wait', () => sleep(20).then(() => 'waited'))],
    options: { toolTimeoutMs: Number.POSITIVE_INFINITY },
    finish: 'stop',
    results: ['waited'],
  },
  {
    name: 'a tool may throw what cannot be shown',
    script: [{ calls: [calls('odd')] }, { text: 'Ok.' }],
    tools: [
      doing('odd', () => {
        throw Object.create(null)
      }),
    ],
    finish: 'stop',
    results: ['UnknownError: the tool failed (UnknownError)'],
  },
  {
    name: 'a client that ends without a reply',
    script: [],
    options: { client: { ...scriptedModel([]), stream: endAtOnce } },
    finish: 'provider-error',
  },
  ...(['approve', 'needsApproval', 'canUse', 'stopWhen'] as const).map(
    (callback): Scenario => ({
      name: `${callback} that throws stops the run, with all calls answered`,
      script: [{ calls: [mailTo('ann')] }, { calls: [mailTo('bob')] }],
      tools: [{ ...sendMail, needsApproval: callback === 'needsApproval' ? broken : () => true }],
      options: {
        approve: callback === 'approve' ? broken : () => true,
        ...(callback === 'canUse' && { permissions: { canUse: broken } }),
        ...(callback === 'stopWhen' && { stopWhen: broken }),
      },
      finish: 'halted',
      ran: callback === 'stopWhen' ? ['send_mail {"to":"ann"}'] : [],
      check: ({ result }) => {
        if (!result.message?.includes(callback)) throw new Error(`told ${result.message}`)
      },
    }),
  ),
  {
    name: 'a hook says something to the model',
    script: [{ text: 'Ok.' }],
    options: {
      hooks: { beforeStep: () => ({ messages: [{ role: 'user', content: 'Be brief.' }] }) },
    },
    finish: 'stop',
    check: ({ result }) => expectSaid(result.messages, 'Be brief.'),
  },

  // ── providers and history ──
  {
    name: 'a key that is refused',
    script: [{ status: 401, error: 'invalid api key' }],
    finish: 'unauthorized',
  },
  {
    name: 'a provider that fails',
    script: [{ status: 500 }],
    finish: 'provider-error',
  },
  {
    name: 'a provider that fails after some turns: what was done is kept',
    script: [{ calls: [mailTo('ann')] }, { status: 500 }],
    finish: 'provider-error',
    ran: ['send_mail {"to":"ann"}'],
    results: ['sent to ann'],
  },
  {
    name: 'an overflow is mended once by a shorter history',
    script: (_, turn) => {
      if (turn === 0) return { calls: [calls('read')] }
      if (turn === 1) return { calls: [calls('read'), calls('read')] }
      if (turn === 2) return { status: 400, error: 'maximum context length exceeded' }
      return { text: 'Ok.' }
    },
    tools: [doing('read', () => big)],
    options: { compaction: { keepLast: 1, summarize: async () => 'read things' } },
    finish: 'stop',
    text: 'Ok.',
    check: ({ events }) => {
      if (!events.some(({ type }) => type === 'compacted')) throw new Error('nothing was shortened')
    },
  },
  {
    name: 'an overflow that nothing can mend',
    script: [{ status: 400, error: 'maximum context length exceeded' }],
    finish: 'context-length',
  },
  {
    name: 'a long history is made shorter before it overflows',
    script: (_, turn) => (turn < 6 ? { calls: [calls('read')] } : { text: 'Ok.' }),
    tools: () => {
      let at = 0
      return [doing('read', () => `${at++} ${'word '.repeat(900)}`)]
    },
    options: {
      compaction: { contextWindow: 6000, keepLast: 4, summarize: async () => 'read some files' },
    },
    finish: 'stop',
    check: ({ events }) => {
      if (!events.some(({ type }) => type === 'compacted')) throw new Error('nothing was shortened')
    },
  },
  {
    name: 'a summary that fails ends the run',
    script: (_, turn) => ({ calls: [{ name: 'read', arguments: { turn } }] }),
    tools: [doing('read', () => 'word '.repeat(900))],
    options: {
      compaction: {
        contextWindow: 3000,
        keepLast: 0,
        summarize: async () => {
          throw new Error('no summary')
        },
      },
    },
    finish: 'compaction-failed',
  },
  {
    name: 'cancelled before it began',
    script: [{ text: 'never' }],
    options: { signal: AbortSignal.abort() },
    finish: 'canceled',
    ran: [],
  },

  // ── answers as data ──
  {
    name: 'an answer as data',
    script: [{ calls: [weatherIn('Oslo')] }, { text: '{"coat": false}' }],
    options: { output: { schema: coatSchema() } },
    finish: 'stop',
    check: ({ result }) => {
      if (JSON.stringify(result.output) !== '{"coat":false}') throw new Error('another answer')
    },
  },
  {
    name: 'an answer as data with words around it',
    script: [{ text: 'Here you are:\n\n```json\n{"coat": "yes"}\n```\n' }],
    options: { output: { schema: coatSchema() } },
    finish: 'stop',
    check: ({ result }) => {
      if (JSON.stringify(result.output) !== '{"coat":true}') throw new Error('another answer')
    },
  },
  {
    name: 'an answer that does not fit is sent back',
    script: [{ text: 'No idea.' }, { text: '{"coat": true}' }],
    options: { output: { schema: coatSchema() } },
    finish: 'stop',
    check: ({ result, model }) => {
      if (model.requests.length !== 2) throw new Error(`${model.requests.length} requests`)
      if (JSON.stringify(result.output) !== '{"coat":true}') throw new Error('another answer')
    },
  },
  {
    name: 'an answer that never fits',
    script: [{ text: '{"hat": true}' }],
    options: { output: { schema: coatSchema() } },
    finish: 'max-output-retries',
    check: ({ model }) => {
      if (model.requests.length !== 3) throw new Error(`${model.requests.length} requests`)
    },
  },
  {
    name: 'the same failing call is told that it fails the same way',
    script: [{ calls: [calls('bad')] }, { calls: [calls('bad')] }, { text: 'Ok.' }],
    tools: [doing('bad', () => failure('no', 'No'))],
    finish: 'stop',
    results: ['No: no', /same arguments/],
  },
  {
    name: 'a signal that never fires changes nothing',
    script: [{ calls: [weatherIn('Oslo')] }, { text: 'Ok.' }],
    options: { signal: never },
    finish: 'stop',
    ran: ['get_weather {"city":"Oslo"}'],
  },
]

function coatSchema(): JsonObject {
  return { type: 'object', properties: { coat: { type: 'boolean' } }, required: ['coat'] }
}

/** As a client of somebody's own may do it. */
function endAtOnce(): never {
  return (async function* () {})() as never
}

function broken(): never {
  throw new Error('out of order')
}

function circular(): object {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

function expectSaid(messages: readonly Message[], text: string): void {
  if (!messages.some(({ content }) => String(content).trim() === text))
    throw new Error(`nobody said ${text}`)
}

function expectError(messages: readonly Message[], pattern: RegExp): void {
  const results = messages.flatMap(({ toolResults = [] }) => toolResults)
  const told = [...results.map(({ content }) => content), ...messages.map(({ content }) => content)]
  if (!told.some((content) => pattern.test(String(content)))) throw new Error('nobody was told')
}
