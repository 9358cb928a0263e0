/**
 * YAML in XML: a tag named after the tool, and in it the arguments as YAML.
 *
 *     <get_weather>
 *     city: Oslo
 *     days: 3
 *     </get_weather>
 *
 * Arguments in tags of their own are read as well, and JSON, which is YAML.
 *
 * @see https://github.com/minpeter/ai-sdk-tool-call-middleware
 */
import { writing } from '../core/instructions.ts'
import type { Protocol } from '../core/protocol.ts'
import { toolTags } from '../core/text/tool-tags.ts'
import { writeYaml } from '../core/yaml/write.ts'
import { yamlCalls } from './families/yaml-calls.ts'

const CALLS = [yamlCalls('tool_call'), yamlCalls('tool_calls')]

export const yamlXml: Protocol<'yaml-xml'> = {
  id: 'yaml-xml',
  emitters: 'any model, prompted',
  openers: (tools) => [...toolTags(tools, { body: 'yaml', trim: 'space' }), ...CALLS],
  ...writing(({ name, arguments: args }) => `<${name}>\n${writeYaml(args)}</${name}>`),
}
