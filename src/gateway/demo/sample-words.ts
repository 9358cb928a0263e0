/** Values for arguments that only their name or format tells anything about. Harmless, should a tool run. */

/** The second is for a second call, or a second item. */
export type Pair<T> = readonly [T, T]

export const TEXT_BY_FORMAT: Readonly<Record<string, Pair<string>>> = {
  date: ['2026-01-15', '2026-02-20'],
  time: ['09:30:00Z', '18:00:00Z'],
  'date-time': ['2026-01-15T09:30:00Z', '2026-02-20T18:00:00Z'],
  duration: ['PT1H', 'PT2H'],
  email: ['ada@example.com', 'grace@example.com'],
  'idn-email': ['ada@example.com', 'grace@example.com'],
  hostname: ['example.com', 'example.org'],
  'idn-hostname': ['example.com', 'example.org'],
  ipv4: ['192.0.2.1', '192.0.2.2'],
  ipv6: ['2001:db8::1', '2001:db8::2'],
  uri: ['https://example.com/', 'https://example.org/'],
  url: ['https://example.com/', 'https://example.org/'],
  iri: ['https://example.com/', 'https://example.org/'],
  'uri-reference': ['/example', '/another-example'],
  'json-pointer': ['/example', '/another'],
  regex: ['ferr(y|ies)', 'fjords?'],
  uuid: ['123e4567-e89b-42d3-a456-426614174000', '123e4567-e89b-42d3-a456-426614174001'],
  byte: ['aGVsbG8=', 'd29ybGQ='],
}

/** By the words in a name, the first that fits. */
export const TEXT_BY_NAME: readonly (readonly [RegExp, Pair<string>])[] = [
  [/\b(city|town|location|place|destination|address)\b/, ['Oslo', 'Lima']],
  [/\b(origin|departure)\b/, ['Bergen', 'Cusco']],
  [/\bcountry\b/, ['Norway', 'Peru']],
  [/\b(lang|language|locale)\b/, ['en', 'es']],
  [/\bcurrency\b/, ['NOK', 'PEN']],
  [/\b(time ?zone|tz)\b/, ['Europe/Oslo', 'America/Lima']],
  [/\b(date|day|since|until)\b/, ['2026-01-15', '2026-02-20']],
  [/\btime\b/, ['09:30', '18:00']],
  [/\b(url|uri|link|href|website)\b/, ['https://example.com/', 'https://example.org/']],
  [/\b(email|mail|recipient)\b/, ['ada@example.com', 'grace@example.com']],
  [/\b(dir|directory|folder|cwd)\b/, ['docs', 'notes']],
  [/\b(path|file|filename)\b/, ['notes.txt', 'readme.txt']],
  [/\b(glob|pattern)\b/, ['*.txt', '*.md']],
  [/\b(command|cmd|script)\b/, ['echo hello', 'echo hello again']],
  [/\b(code|expression|formula)\b/, ['1 + 1', '2 + 2']],
  [/\b(query|search|q|keywords?|term|question|prompt)\b/, ['fjord ferries', 'mountain railways']],
  [/\b(title|subject|heading|topic)\b/, ['Fjord ferries', 'Mountain railways']],
  [/\b(content|text|body|message|comment|note|description)\b/, ['Hello, world.', 'Hello again.']],
  [/\b(user|author|name|person)\b/, ['Ada', 'Grace']],
  [/\b(id|key|reference)\b/, ['example-1', 'example-2']],
]

export const ANY_TEXT: Pair<string> = ['example', 'another example']

/** What patterns mostly ask for; the first that matches. */
export const TEXT_FOR_PATTERNS: readonly string[] = [
  'example',
  'EXAMPLE',
  'Example',
  'ab',
  'AB',
  'ABC',
  'a',
  '1',
  '12',
  '123',
  '1234',
  '12345',
  '1234567890',
  'A1',
  'AB12',
  'AB-123',
  'ABC-1234',
  'abc-123',
  'abc_123',
  '#a1b2c3',
  '1.0.0',
  'v1.0.0',
  '2026-01-15',
  '09:30',
  '+4712345678',
  'ada@example.com',
  'https://example.com/',
  'notes.txt',
  '/example',
  'example-1',
]

export const NUMBER_BY_NAME: readonly (readonly [RegExp, Pair<number>])[] = [
  [/\b(lat|latitude)\b/, [59.91, -12.05]],
  [/\b(lon|lng|long|longitude)\b/, [10.75, -77.04]],
  [/\byear\b/, [2026, 2027]],
  // Milliseconds for some, seconds for others: long enough for both.
  [/\b(timeout|deadline|ms)\b/, [1000, 2000]],
  [/\b(page|index|offset|start)\b/, [1, 2]],
  [/\b(limit|count|max|size|top|results?)\b/, [5, 10]],
  [/\b(days?|hours?|weeks?|months?|nights?)\b/, [3, 4]],
]

export const ANY_NUMBER: Pair<number> = [2, 3]

/** A name in lower case with spaces between its words: `maxResults` is `max results`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
