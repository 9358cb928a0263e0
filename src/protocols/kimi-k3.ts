/**
 * Kimi K3: the parts of a reply as elements whose tags are made of tokens.
 *
 *     <|open|>think<|sep|>…<|close|>think<|sep|><|open|>response<|sep|>…<|close|>response<|sep|>
 *     <|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>
 *     <|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|>
 *     <|close|>call<|sep|><|close|>tools<|sep|>
 *
 * A server that strips some of the tokens leaves the words between them, so the words decide.
 *
 * @see https://huggingface.co/moonshotai
 */
import type { JsonValue } from '../core/json/value.ts'
import type { Marker, Protocol } from '../core/protocol.ts'
import {
  literally,
  oneOf,
  type Pattern,
  patternReader,
  SPACE,
  sequence,
} from '../core/text/pattern.ts'
import { taggedProtocol } from '../core/text/tagged-protocol.ts'
import type { TaggedCallSpec } from '../core/text/tagged-spec.ts'
import { escapeName, type TaggedLayout } from '../core/text/tagged-writing.ts'

const OPEN = literally('<|open|>')
const CLOSE = literally('<|close|>')
const SEP = literally('<|sep|>')
const PREFIX = [...'<|open']

const ATTRIBUTES = `(?:${sequence('\\s{1,16}', '[a-z]{1,16}', SPACE, '=', SPACE, '"', '[^"]*', '"')})*`

const SPEC: TaggedCallSpec = {
  sections: ['tools', 'message', 'toolsmessage'],
  calls: ['call', 'toolscall'],
  parameters: ['argument'],
  separator: SEP,
  trim: 'none',
  tokens: true,
  marks: {
    lead: '|',
    follows: [...'open'],
    open: sequence(`(?:${OPEN})?`, SPACE),
    head: sequence(`(?<head>${ATTRIBUTES})`, SPACE, SEP),
    close: sequence(CLOSE, SPACE),
    tail: '(?=[^])',
    closer: (word) => `<|close|>${word}<|sep|>`,
  },
}

/** What cannot stand between quotes. No more than that: a head has a limit to its length. */
const QUOTED = /[&"]/g

const LAYOUT: TaggedLayout = {
  parameter: (key, text, value) =>
    element(`argument key="${escapeName(key, QUOTED)}" type="${typeOf(value)}"`, text),
  call: (name, parameters, { index } = { index: 1, of: 1 }) =>
    element(
      'tools',
      element(`call tool="${escapeName(name, QUOTED)}" index="${index}"`, parameters.join('')),
    ),
}

function element(head: string, content: string): string {
  return `<|open|>${head}<|sep|>${content}<|close|>${head.replace(/ .*/s, '')}<|sep|>`
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** A tag around a part of the reply. */
const tag = (mark: Pattern, ...word: readonly Pattern[]): Pattern =>
  sequence(mark, SPACE, ...word, SPACE, SEP)

const TAG: Marker = {
  // `<|open` or `<|clos`.
  prefix: ['<', '|', 'oc', 'pl', 'eo', 'ns'],
  match: patternReader(tag(oneOf(OPEN, CLOSE), '[a-z]{1,24}', ATTRIBUTES), '<|open|>'.length).match,
}
const THINK = {
  open: { prefix: PREFIX, match: patternReader(tag(OPEN, literally('think'))).match },
  close: ['<|close|>think<|sep|>', '<|close|> think <|sep|>'],
}

export const kimiK3: Protocol<'kimi-k3'> = {
  id: 'kimi-k3',
  emitters: 'Kimi K3',
  ...taggedProtocol(SPEC, LAYOUT),
  rawText: false,
  tokens: [TAG, '<|sep|>'],
  reasoning: [
    { ...THINK, until: ['<|open|>response<|sep|>', '<|open|>tools<|sep|>'] },
    // What else ends open reasoning does not say that there was some.
    { ...THINK, prompted: true },
  ],
}
