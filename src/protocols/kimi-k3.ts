/**
 * Kimi K3: the parts of a reply as elements whose tags are made of tokens.
 *
 *     <|open|>think<|sep|>…<|close|>think<|sep|><|open|>response<|sep|>…<|close|>response<|sep|>
 *     <|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>
 *     <|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|>
 *     <|close|>call<|sep|><|close|>tools<|sep|>
 *
 * @see https://huggingface.co/moonshotai
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { writeXtmlCall, xtmlCall, xtmlOpening, xtmlTag } from '../core/text/xtml.ts'

const OPENERS = [xtmlCall]
const THINK = {
  open: xtmlOpening('think'),
  close: ['<|close|>think<|sep|>', '<|close|> think <|sep|>'],
}

export const kimiK3: Protocol<'kimi-k3'> = {
  id: 'kimi-k3',
  emitters: 'Kimi K3',
  models: ['kimi-k3'],
  endsReasoning: true,
  openers: () => OPENERS,
  tokens: [xtmlTag, '<|sep|>'],
  reasoning: [
    { ...THINK, until: ['<|open|>response<|sep|>', '<|open|>tools<|sep|>'] },
    // What else ends open reasoning does not say that there was some.
    { ...THINK, prompted: true },
  ],
  ...writing(writeXtmlCall),
}
