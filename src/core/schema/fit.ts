/** Fitting arguments to the schema of their tool, as one value that an extractor is given. */
import type { Fit } from '../options.ts'
import { streamArguments } from './argument-stream.ts'
import { canStreamText, coerceArguments, coerceProperty, isOpenSchema } from './coerce.ts'
import { gatherArguments } from './gather.ts'
import { isDeclared } from './property-name.ts'
import { viewSchema } from './view.ts'

/** Converts what does not fit and can be converted without a guess about its meaning. */
export const schemaFit: Fit = {
  fit: coerceArguments,
  view: viewSchema,
  fitProperty: (key, value, schema) => coerceProperty(key, value, schema).value,
  changesNothing: isOpenSchema,
  declares: isDeclared,
  gather: gatherArguments,
  stream: streamArguments,
  keepsText: canStreamText,
}
