/**
 * Morph XML: a tag named after the tool, and in it a tag for each argument.
 *
 *     <get_weather>
 *     <city>Oslo</city>
 *     <days>3</days>
 *     </get_weather>
 *
 * The tool's schema says what the texts are; text may be HTML as it stands. Arrays are `<item>` tags, or
 * the tag of the argument several times. Without declared tools any HTML would be a call, so there
 * are no calls then.
 *
 * @see https://github.com/minpeter/ai-sdk-tool-call-middleware
 */
import { writing } from '../core/instructions.ts'
import type { Opener, Protocol, ToolTable } from '../core/protocol.ts'
import { passOver } from '../core/text/marker.ts'
import { ahead, either, markerWith, SPACE } from '../core/text/pattern.ts'
import { toolLines, toolTags } from '../core/text/tool-tags.ts'
import { writeElements } from './families/element-writing.ts'

const TAGS = { body: 'elements' } as const

/** A tag that other formats put around a call: it goes with the one it holds. */
function wrapper({ names }: ToolTable): Opener[] {
  if (names.length === 0) return []
  const tool = either(...names)
  return [
    {
      ...markerWith('<tool_call>', ahead(SPACE, '<', tool, '>', SPACE, '<', '\\w')),
      open: passOver,
    },
  ]
}

export const morphXml: Protocol<'morph-xml'> = {
  id: 'morph-xml',
  emitters: 'any model, prompted, as by Cline and Roo Code',
  rawText: true,
  openers: (tools) => [...toolTags(tools, TAGS), ...toolLines(tools, TAGS), ...wrapper(tools)],
  strays: ['</tool_call>'],
  ...writing(
    ({ name, arguments: args }) => `<${name}>\n${writeElements(args, '', '\n')}</${name}>`,
  ),
}
