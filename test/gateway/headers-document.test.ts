/** docs/reference/gateway-headers.md lists what crosses the gateway, and nothing else. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { forwardedHeaders, returnedHeaders } from '../../src/gateway/header-policy.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCUMENT = readFileSync(join(ROOT, 'docs/reference/gateway-headers.md'), 'utf8')

/** Some that must never cross. */
const OTHERS = ['authorization', 'cookie', 'x-api-key', 'set-cookie', 'server', 'host']

test('the headers of our own are those in the sources', () => {
  const sources = readdirSync(join(ROOT, 'src/gateway'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(ROOT, 'src/gateway', file), 'utf8'))
  expect(ownHeaders(DOCUMENT)).toEqual(ownHeaders(sources.join('\n')))
})

test('what goes to a provider', () => {
  const told = namesIn(/To a provider of the same dialect:([\s\S]*?)\n\n/)
  const passed = forwardedHeaders(withValues([...told, ...OTHERS]))
  expect(Object.keys(passed).toSorted()).toEqual(told.toSorted())
  expect(Object.keys(passed)).toHaveLength(3)
})

test('what comes back to the client', () => {
  const told = namesIn(/Back to the client:([\s\S]*)$/).map((name) => name.replace(/-$/, '-any'))
  const passed = returnedHeaders(withValues([...told, ...OTHERS]))
  expect(Object.keys(passed).toSorted()).toEqual(told.toSorted())
})

function ownHeaders(text: string): string[] {
  const names = [...text.matchAll(/\bx-toolglot-[a-z-]*[a-z]\b/g)].map(([name]) => name)
  return [...new Set(names)].toSorted()
}

function namesIn(part: RegExp): string[] {
  const text = part.exec(DOCUMENT)?.[1]?.replace(/\[[^\]]*\]\([^)]*\)/g, '') ?? ''
  return [...text.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
}

function withValues(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, 'value']))
}
