/**
 * What a model or a provider got wrong, as data. A caller's or the network's mistake is an error
 * instead (`errors.ts`).
 */

/** Every code an {@link Issue} can carry, with what it tells the reader. */
export const ISSUE_CODES = {
  'added-field': 'the wire format demands a field that the request does not have; it was added',
  'ambiguous-value': 'a value fits the schema in more than one way and was left as it is',
  'duplicate-dropped': 'a call equal to an earlier one was dropped because `dedupe` is on',
  'dropped-result': 'a result in a history answers a call that another result answers',
  'duplicate-id': 'two calls carried the same id; the later one got a new id',
  'empty-call': 'a call block without anything in it',
  'invalid-arguments':
    'the arguments are not a JSON object, were begun and lost, or were repaired and lack a required one',
  'invalid-json': 'the call is not JSON and could not be repaired',
  'invalid-response': 'the reply is not in the format of the API that was asked',
  'limit-exceeded': 'a limit on size, depth or number of calls was passed',
  'lost-field': 'a field of one wire format has no place in another',
  'missing-argument': 'the call lacks an argument it cannot do without',
  'missing-id': 'the call has no id, and the preset skips calls without one',
  'missing-name': 'the call names no tool',
  'missing-result': 'a call in a history had no result and got one that says so',
  'moved-message': 'a message of a history was moved, added, left out or changed its role',
  'not-expressible': 'the wire format cannot say it, so it was left out or said otherwise',
  'orphan-result': 'a result in a history answers no call; it became text of the user',
  'orphan-reasoning-end': 'reasoning ended that was never opened; the text before it is reasoning',
  'quoted-call':
    'what looks like a call inside code, quotation marks or a sentence, or repeats what others wrote, was left as text',
  'reasoning-call': 'a call drafted inside reasoning was not made',
  'role-played-result': 'the model wrote a tool result itself; it was taken out of the text',
  'schema-mismatch': 'a value does not fit the schema and could not be converted',
  'truncated-call': 'the reply ended inside a call',
  'unchecked-pattern':
    'a regular expression of a schema cannot be tried within limits, so nothing was refused by it',
  'unclosed-call': 'a block lacks the closing marker that its format requires, so it is no call',
  'unknown-shape': 'a native call has a shape no provider uses',
  'unknown-tool': 'the call names a tool that was not offered',
  'unread-call':
    'what looks like a call of a declared tool, or is left of one, could not be read and stayed text',
} as const

export type IssueCode = keyof typeof ISSUE_CODES

/** A place in a JSON value: keys and indexes from the root. */
export type JsonPath = readonly (string | number)[]

/** Half-open range of characters in the whole input. */
export type Span = readonly [start: number, end: number]

export interface Issue {
  readonly code: IssueCode
  readonly message: string
  readonly span?: Span
  /** The characters the issue is about, as the model wrote them. */
  readonly raw?: string
  readonly name?: string
  readonly callId?: string
  /** The format in which the call was written. */
  readonly protocol?: string
  /** The fields of a request or reply that it is about: `content.cache_control`, `tools.web_search`. */
  readonly fields?: readonly string[]
  /** `info`: nothing is missing that the model would read or that changes its reply. Default: a warning. */
  readonly level?: 'info'
}

/** Every code a {@link Repair} can carry, with what was done. */
export const REPAIR_CODES = {
  'added-bracket': 'a missing closing bracket was added',
  'added-colon': 'a missing colon was added',
  'added-comma': 'a missing comma was added',
  'added-null': 'a missing value became null',
  'closed-string': 'a string without its closing quote was closed',
  'coerced-array':
    'a single value became a one-element array, or a list got the brackets it lacked',
  'coerced-boolean': 'text or a number became the boolean the schema asks for',
  'coerced-enum': 'a value was replaced by the enum member it spells in another case',
  'coerced-json': 'text became the object or array it spells',
  'coerced-key': 'a key was replaced by the property it spells in another case',
  'coerced-null': 'text became null',
  'coerced-number': 'text became the number the schema asks for',
  'coerced-string': 'a scalar became text',
  'corrected-key':
    'a key with a letter too few or too many was replaced by the only property it can mean',
  'corrected-marker': 'a marker of the call that lost a character was read as it was meant',
  'decoded-entities':
    'references such as `&lt;` were decoded in a text that was escaped throughout',
  'decoded-string': 'JSON inside a JSON string was decoded',
  'dropped-bracket': 'a bracket that closes nothing was dropped',
  'dropped-comma': 'a comma too many was dropped',
  'dropped-comment': 'a comment was dropped',
  'dropped-ellipsis': 'an ellipsis was dropped',
  'dropped-text': 'text around the JSON was dropped',
  'empty-arguments': 'missing or empty arguments became {}',
  'escaped-control': 'a raw control character in a string was escaped',
  'escaped-quote': 'an unescaped quote inside a string was escaped',
  'gathered-arguments':
    'arguments beside the name of the tool, or under a key of their own, were gathered',
  'invalid-escape': 'a backslash that escapes nothing was kept as a backslash',
  'joined-strings': 'strings written one after another were joined',
  'missing-closer': 'the closing marker of the call is missing',
  'mismatched-closer': 'the call was closed by another marker than its own',
  'named-positional': 'positional arguments were given the names of the schema',
  'normalized-number': 'a number in a notation JSON does not have was rewritten',
  'normalized-literal': 'a literal of another language was rewritten',
  'quoted-key': 'a key without quotes was quoted',
  'quoted-string': 'a value without quotes was quoted',
  'replaced-bracket': 'a bracket of the wrong kind was replaced',
  'replaced-quotes': 'quotes of another kind were replaced',
  'replaced-separator': 'another separator stood for a comma or a colon',
  'resolved-name': 'the tool name was written in another way',
  'unsafe-integer': 'an integer beyond 2^53 lost digits; `rawArguments` has them all',
  'unwrapped-fence': 'a code fence around the JSON was removed',
  'unwrapped-value': 'a value was taken out of an object that only named it',
} as const

export type RepairCode = keyof typeof REPAIR_CODES

export interface Repair {
  readonly code: RepairCode
  readonly path: JsonPath
  /** `safe` loses nothing; `guess` chose between readings. */
  readonly risk: 'safe' | 'guess'
  readonly before?: string
  readonly after?: string
}
