/** The documents are true: tables are current, code compiles, links lead somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { compareDocuments } from '../scripts/docs-tables.ts'
import { ISSUE_CODES, REPAIR_CODES } from '../src/core/issue.ts'
import { moduleExports } from './support/package-exports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

test.for(compareDocuments())('the tables of $file are current (npm run docs)', (document) => {
  expect(document.current).toBe(document.expected)
})

describe('codes', () => {
  test.for([
    ['docs/reference/issues.md', ISSUE_CODES],
    ['docs/reference/repairs.md', REPAIR_CODES],
  ] as const)('%s lists every code and no other', ([file, codes]) => {
    const rows = read(file).matchAll(/^\| `([a-z-]+)` \|/gm)
    expect([...rows].map(([, code]) => code)).toEqual(Object.keys(codes))
  })
})

test('docs/reference/gateway-metrics.md lists every endpoint', () => {
  const folder = join('src', 'gateway', 'endpoints')
  const sources = readdirSync(join(ROOT, folder)).map((file) => read(join(folder, file)))
  const ids = [...sources.join('\n').matchAll(/\bid: ('[a-z-]+')/g)].map(([, id = '']) => id)
  const [, told = ''] =
    /`endpoint` is ([\s\S]*?) for everything/.exec(read('docs/reference/gateway-metrics.md')) ?? []
  const named = [...told.matchAll(/`([a-z-]+)`/g)].map(([, id]) => `'${id}'`)
  expect(named.toSorted()).toEqual([...new Set([...ids, "'other'"])].toSorted())
})

test.for(DOCUMENTS)('the links of %s lead to files that exist', (file) => {
  const targets = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, to]) => to ?? '',
  )
  const local = targets.filter((target) => !/^[a-z]+:/.test(target))
  expect(local.filter((target) => !leadsSomewhere(file, target))).toEqual([])
})

test.for(['SECURITY.md', 'docs/guides/security-model.md'])('%s names tests that exist', (file) => {
  const named = [...read(file).matchAll(/`((?:src|test)\/[^`\s]+\.test\.ts)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('every block of TypeScript compiles', () => {
  const blocks = new Map(DOCUMENTS.flatMap((file) => blocksOf(file)))
  expect(blocks.size).toBeGreaterThan(5)
  expect(compile(blocks)).toEqual([])
}, 120_000)

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const destination = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), path)
  if (!existsSync(destination)) return false
  return anchor === undefined || headings(readFileSync(destination, 'utf8')).includes(anchor)
}

// As GitHub makes them: lower case, spaces to hyphens, punctuation dropped.
function headings(document: string): string[] {
  const titles = withoutCode(document, false).matchAll(/^#+ (.*)$/gm)
  return [...titles].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function withoutCode(document: string, inline = true): string {
  const text = document.replace(/^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1$/gm, '')
  return inline ? text.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '') : text
}

/**
 * The blocks of a document by the name of a file that is not there. A comment `<!-- ts: … -->` right before a block
 * declares what the block takes for granted.
 */
function blocksOf(file: string): [name: string, code: string][] {
  const pattern = /(?:<!-- ts: ([^\n]*) -->\n)?^```ts\n([\s\S]*?)^```$/gm
  return [...read(file).matchAll(pattern)].map(([, given = '', code = ''], at) => {
    const name = `${relative('.', file).replace(/[^a-z]+/gi, '-')}-${at + 1}.ts`
    // As if it stood beside the protocols: one block shows how a file there looks.
    return [join(ROOT, 'src', 'protocols', name), `${code}\n${given}\nexport {}\n`]
  })
}

/** Type errors of the blocks, with `toolglot` standing for the sources. */
function compile(blocks: ReadonlyMap<string, string>): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(ROOT, 'tsconfig.json'),
    { isolatedDeclarations: false, declaration: false, noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )
  const options: ts.CompilerOptions = { ...config?.options, paths: sourcePaths() }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => blocks.has(name) || fileExists(name)
  host.readFile = (name) => blocks.get(name) ?? readFile(name)
  host.getSourceFile = (name, settings, ...rest) => {
    const code = blocks.get(name)
    if (code === undefined) return getSourceFile(name, settings, ...rest)
    return ts.createSourceFile(name, code, settings)
  }
  const program = ts.createProgram([...blocks.keys()], options, host)
  return [...blocks.keys()].flatMap((name) => {
    const source = program.getSourceFile(name)
    const found = [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]
    return found.map(({ messageText, start = 0 }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
      return `${relative(ROOT, name)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
    })
  })
}

/** The exports of the package, led to the sources instead of the build. */
function sourcePaths(): Record<string, string[]> {
  return Object.fromEntries(
    moduleExports().map(([subpath, target]) => [
      `toolglot${subpath.slice(1)}`,
      [join(ROOT, target.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))],
    ]),
  )
}
