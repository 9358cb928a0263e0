/**
 * DeepSeek V3.1: the name, a separator and the arguments between tokens.
 *
 *     <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
 *
 * @see https://huggingface.co/deepseek-ai/DeepSeek-V3.1
 */
import type { Protocol } from '../core/protocol.ts'
import { NAME, OBJECT } from '../core/text/named-json.ts'
import { SPACE, sequence } from '../core/text/pattern.ts'
import { deepseekSection, SEPARATOR } from './families/deepseek-section.ts'

export const deepseekV31: Protocol<'deepseek-v31'> = {
  id: 'deepseek-v31',
  emitters: 'DeepSeek V3.1',
  ...deepseekSection({
    // With this word in place of the name it is the format of DeepSeek V3.
    header: sequence(`(?!function\\s*<)${NAME}`, SPACE, SEPARATOR),
    bare: sequence(NAME, OBJECT),
    written: ['', '<｜tool▁sep｜>', ''],
  }),
}
