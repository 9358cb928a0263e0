/** The package as users get it: what it exports, what it needs, and how much of it a bundle holds. */
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import ts from 'typescript'
import { beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const KILOBYTE = 1024

interface Manifest {
  /** `null` for what is part of a pattern and cannot be imported. */
  readonly exports: Readonly<Record<string, string | null>>
  readonly bin: Readonly<Record<string, string>>
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'prepare.mjs')], { stdio: 'inherit' })
}, 300_000)

describe('exports', () => {
  test('every subpath can be imported', () => {
    const names = Object.keys(subpaths())
    expect(names).toContain('toolglot/protocols/hermes')
    const exported = namesOf(names)
    expect(names.filter((name) => exported[name]?.length === 0)).toEqual([])
  })

  test('the root exports these names and no others', () => {
    expect(namesOf(['toolglot'])['toolglot']).toMatchSnapshot()
  })

  test('every subpath has its types', () => {
    const missing = Object.values(subpaths()).filter(
      (file) => !ts.sys.fileExists(file.replace(/\.js$/, '.d.ts')),
    )
    expect(missing).toEqual([])
  })

  test('the command runs', () => {
    const file = join(ROOT, manifest.bin['toolglot'] ?? '')
    expect(execFileSync(process.execPath, [file, '--version'], { encoding: 'utf8' })).toMatch(/^\d/)
  })
})

describe('dependencies', () => {
  test.for(['toolglot', 'toolglot/core', 'toolglot/protocols'])(
    '%s reaches no package and no module of Node',
    (name) => {
      const { packages } = reachableFrom(subpaths()[name] ?? '')
      expect(packages).toEqual([])
    },
  )

  test('/core reaches no protocol', () => {
    const { files } = reachableFrom(subpaths()['toolglot/core'] ?? '')
    expect(files.filter((file) => file.startsWith('protocols/'))).toEqual([])
  })
})

describe('size, minified and gzipped', () => {
  // Ratchets, not goals: no behaviour is given up for them. Printed, so that growth is seen in reviews.
  // 4 KB of it tell calls that are quoted from those that are made, and find the names of tools.
  test('the extractor with one protocol is at most 35 KB', async () => {
    const size = await gzippedSize(`
      import { createExtractor } from 'toolglot/core'
      import { hermes } from 'toolglot/protocols/hermes'
      globalThis.extractor = createExtractor({ protocols: [hermes] })`)
    console.info(`one protocol: ${size} bytes`)
    expect(size).toBeLessThanOrEqual(35 * KILOBYTE)
  })

  // 2 KB of it try the expressions under `patternProperties` in linear time.
  test('extract with all protocols is at most 95 KB', async () => {
    const size = await gzippedSize(`
      import { extract } from 'toolglot'
      globalThis.extract = extract`)
    console.info(`all protocols: ${size} bytes`)
    expect(size).toBeLessThanOrEqual(95 * KILOBYTE)
  })
})

describe('tree shaking', () => {
  // What only these two formats say.
  const HERMES = '<tool_call>'
  const TEXT_TAGGED = '~~~tool_call'

  test.for([
    ['its own subpath', "import { hermes } from 'toolglot/protocols/hermes'"],
    ['the list of all', "import { hermes } from 'toolglot/protocols'"],
  ] as const)('one protocol from %s brings no other', async ([, statement]) => {
    const code = await bundle(`${statement}\nglobalThis.protocol = hermes`)
    expect(code).toContain(HERMES)
    expect(code).not.toContain(TEXT_TAGGED)
  })

  test('an unused import leaves nothing behind', async () => {
    const code = await bundle("import 'toolglot'\nimport 'toolglot/protocols'")
    expect(code.length).toBeLessThan(100)
  })
})

/** Every importable name, with the file it leads to. A pattern stands for all files it matches. */
function subpaths(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(manifest.exports).flatMap(([subpath, target]) => {
      if (!target?.endsWith('.js')) return []
      const name = `toolglot${subpath.slice(1)}`
      if (!target.includes('*')) return [[name, join(ROOT, target)]]
      const folder = join(ROOT, dirname(target))
      const members = readdirSync(folder).filter((file) => file.endsWith('.js'))
      return members.map((file) => [name.replace('*', file.slice(0, -3)), join(folder, file)])
    }),
  )
}

/** The names each module exports, as Node sees them from inside the package. */
function namesOf(names: readonly string[]): Record<string, string[]> {
  const script = `const found = {}
    for (const name of ${JSON.stringify(names)}) found[name] = Object.keys(await import(name)).sort()
    console.log(JSON.stringify(found))`
  const args = ['--input-type=module', '--eval', script]
  const output = execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  return JSON.parse(output) as Record<string, string[]>
}

/** Files of the build that a file imports, directly or not, and what it imports from elsewhere. */
function reachableFrom(entry: string): { files: string[]; packages: string[] } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles) {
      if (fileName.startsWith('.')) open.push(resolve(dirname(file), fileName))
      else packages.add(fileName)
    }
  }
  const dist = join(ROOT, 'dist')
  return { files: [...files].map((file) => relative(dist, file)), packages: [...packages] }
}

async function gzippedSize(code: string): Promise<number> {
  return gzipSync(await bundle(code)).length
}

/** What a bundler makes of a user's module, in a project that has the package installed. */
async function bundle(code: string): Promise<string> {
  const project = mkdtempSync(join(tmpdir(), 'toolglot-bundle-'))
  try {
    mkdirSync(join(project, 'node_modules'))
    symlinkSync(ROOT, join(project, 'node_modules', 'toolglot'), 'junction')
    writeFileSync(join(project, 'entry.js'), code)
    const build = await rolldown({ input: join(project, 'entry.js'), cwd: project })
    // Hints for bundlers are comments, and no minifier for users leaves them in.
    const { output } = await build.generate({ format: 'esm', minify: true, comments: false })
    await build.close()
    return output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join('')
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}
