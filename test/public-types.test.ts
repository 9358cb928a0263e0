/** Whoever can call a function can name the types of its parameters and of its result. */
import { execFileSync } from 'node:child_process'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeAll, expect, test } from 'vitest'
import { singleModuleExports } from './support/package-exports.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')

beforeAll(() => {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'prepare.mjs')], { stdio: 'inherit' })
}, 300_000)

test('every type in a public signature is exported by some subpath', () => {
  const program = ts.createProgram(entries(), {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
  })
  const exported = exportedSymbols(program)
  expect(exported.size).toBeGreaterThan(300)
  const missing = new Map<string, string>()
  for (const symbol of exported) {
    for (const used of typesIn(symbol, program)) {
      if (!exported.has(used)) missing.set(describe(used), symbol.name)
    }
  }
  expect([...missing].map(([type, user]) => `${type}, used by ${user}`).sort()).toEqual([])
}, 120_000)

/** The declarations of every subpath; a pattern such as `./protocols/*` brings no types of its own. */
function entries(): string[] {
  return singleModuleExports().map(([, target]) => join(ROOT, target.replace(/\.js$/, '.d.ts')))
}

function exportedSymbols(program: ts.Program): Set<ts.Symbol> {
  const checker = program.getTypeChecker()
  const modules = entries().map((file) => program.getSourceFile(file))
  const symbols = modules.flatMap((module) => {
    const symbol = module && checker.getSymbolAtLocation(module)
    return symbol ? checker.getExportsOfModule(symbol) : []
  })
  return new Set(symbols.map((symbol) => resolved(symbol, checker)))
}

/** The types of this package that the declarations of a symbol name. */
function typesIn(symbol: ts.Symbol, program: ts.Program): ts.Symbol[] {
  const checker = program.getTypeChecker()
  const found: ts.Symbol[] = []
  const visit = (node: ts.Node): void => {
    const isPrivate =
      ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
    if (isPrivate) return
    const name = nameIn(node)
    const used = name && checker.getSymbolAtLocation(name)
    if (used) found.push(resolved(used, checker))
    ts.forEachChild(node, visit)
  }
  for (const declaration of symbol.declarations ?? []) visit(declaration)
  return found.filter(isOurType)
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}

/** Declared on the top level of a module of ours, so parameters of types do not count. */
function isOurType({ flags, declarations = [] }: ts.Symbol): boolean {
  const isType = (flags & ts.SymbolFlags.Type) !== 0 && (flags & ts.SymbolFlags.TypeParameter) === 0
  return isType && declarations.some((one) => one.getSourceFile().fileName.startsWith(posix(DIST)))
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0
  return isAlias ? checker.getAliasedSymbol(symbol) : symbol
}

function describe({ name, declarations: [first] = [] }: ts.Symbol): string {
  return `${name} of ${first ? posix(relative(DIST, first.getSourceFile().fileName)) : '?'}`
}

function posix(path: string): string {
  return path.split(sep).join('/')
}
