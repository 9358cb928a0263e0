/** Decides what to say about a value that fits none of several forms. */
import type { JsonValue } from '../json/value.ts'
import { describe, type Flaw } from './flaw.ts'
import { formatPath } from './outcome.ts'

const MAX_FORMS = 4

/**
 * The flaws under the form that was meant: one of the right type, and with the right constants. Where
 * that leaves several, a few words about each.
 */
export function nearestFlaws(
  value: JsonValue,
  forms: readonly (readonly Flaw[])[],
): readonly Flaw[] {
  const ofType = forms.filter((flaws) => !flaws.some(isWrongType))
  if (ofType.length === 0) return [wrongTypes(value, forms)]
  const meant = ofType.filter((flaws) => !flaws.some(({ kind }) => kind === 'member'))
  const [only, ...others] = meant.length > 0 ? meant : ofType
  if (only && others.length === 0) return only
  return [
    { path: [], message: `fits none of several forms: ${summarize([only ?? [], ...others])}` },
  ]
}

function isWrongType({ path, kind }: Flaw): boolean {
  return kind === 'type' && path.length === 0
}

function wrongTypes(value: JsonValue, forms: readonly (readonly Flaw[])[]): Flaw {
  const messages = forms.flatMap((flaws) => flaws.filter(isWrongType).map(({ message }) => message))
  const types = messages.map((message) => /^must be (.*?), got /.exec(message)?.[1] ?? message)
  const message = `must be ${[...new Set(types)].join(' or ')}, got ${describe(value)}`
  return { path: [], message, kind: 'type' }
}

function summarize(forms: readonly (readonly Flaw[])[]): string {
  const texts = forms.slice(0, MAX_FORMS).map((flaws) => flaws.map(brief).join(' and '))
  return [...new Set(texts), ...(forms.length > MAX_FORMS ? ['…'] : [])].join('; or ')
}

function brief({ path, message }: Flaw): string {
  return path.length === 0 ? message : `${formatPath(path).replace(/^\$\.?/, '')} ${message}`
}
