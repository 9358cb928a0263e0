/**
 * Functionary 3.1, and Llama 3.1 with tools of its own: the name in a tag, the arguments in JSON.
 *
 *     <function=get_weather>{"city": "Oslo"}</function>
 *
 * @see https://github.com/MeetKai/functionary
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { NAME, namedJson, writeNamedCall } from '../core/text/named-json.ts'
import { either, literally, SPACE, sequence } from '../core/text/pattern.ts'

const OPEN = '<function='
const CLOSE = '</function>'

const OPENERS = [
  {
    prefix: [...OPEN],
    ...namedJson({
      open: literally(OPEN),
      // With tags behind the name it is the format of another family.
      header: sequence(literally(OPEN), SPACE, '"?', NAME, '"?', SPACE, '>', SPACE, '(?=\\{)'),
      close: either(CLOSE, '<function/>'),
      closer: CLOSE,
    }),
  },
]

export const functionaryV31: Protocol<'functionary-v31'> = {
  id: 'functionary-v31',
  emitters: 'Functionary Small v3.1, Functionary Medium v3.1, Llama 3.1 with custom tools',
  openers: () => OPENERS,
  strays: [CLOSE],
  tokens: ['<|eom_id|>', '<|eot_id|>'],
  ...writing(writeNamedCall(OPEN, '>', CLOSE)),
}
