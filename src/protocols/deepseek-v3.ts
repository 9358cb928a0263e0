/**
 * DeepSeek R1 and V3: kind and name between tokens, then the arguments in a code block.
 *
 *     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
 *     ```json
 *     {"city": "Oslo"}
 *     ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
 *
 * @see https://huggingface.co/deepseek-ai/DeepSeek-V3-0324
 */
import type { Protocol } from '../core/protocol.ts'
import { NAME } from '../core/text/named-json.ts'
import { ahead, literally, SPACE, sequence } from '../core/text/pattern.ts'
import { deepseekSection, SEPARATOR } from './families/deepseek-section.ts'

const KIND = 'function'

export const deepseekV3: Protocol<'deepseek-v3'> = {
  id: 'deepseek-v3',
  emitters: 'DeepSeek R1, DeepSeek V3, Cogito',
  ...deepseekSection({
    header: sequence(literally(KIND), SPACE, SEPARATOR, SPACE, NAME, '(?=[\\s`{])'),
    bare: sequence(literally(KIND), NAME, ahead('\\s?', literally('```'))),
    word: KIND,
    written: [`${KIND}<｜tool▁sep｜>`, '\n```json\n', '\n```'],
    fenced: true,
  }),
}
