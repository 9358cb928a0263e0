/** Files for one process, in a folder that only its owner can look into. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { readJsonFile } from '../../gateway/config/json-file.ts'
import { asJson, type Setup, type SetupFile } from './agent.ts'

export interface TemporaryFolder {
  readonly path: string
  write(setup: Pick<Setup, 'files' | 'links'>): void
  remove(): void
}

export function createTemporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'toolglot-launch-'))
  return {
    path,
    write({ files = {}, links = {} }) {
      for (const [name, file] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), contentOf(file), { mode: 0o600 })
      }
      for (const [name, target] of Object.entries(links)) linkAll(target, join(path, name))
    },
    // Of what is linked, only the links go.
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

function linkAll(from: string, to: string): void {
  if (!existsSync(from)) return
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const link = join(to, name)
    if (!existsSync(link)) symlinkSync(join(from, name), link)
  }
}

/** The text, over what the machine has in the file that it hides. */
export function contentOf({ text, over }: SetupFile): string {
  const below = over === undefined ? undefined : readObject(over)
  const own: unknown = below && JSON.parse(text)
  return below && isJsonObject(own) ? asJson(merged(below, own)) : text
}

/** Undefined: there is none, or nothing that could be merged. */
function readObject(path: string): JsonObject | undefined {
  try {
    const file = readJsonFile(readFileSync(path, 'utf8'))
    return 'value' in file && isJsonObject(file.value) ? file.value : undefined
  } catch {
    return undefined
  }
}

function merged(below: JsonObject, above: JsonObject): JsonObject {
  const all = { ...below }
  for (const [name, value] of Object.entries(above)) {
    const other = all[name]
    all[name] = isJsonObject(value) && isJsonObject(other) ? merged(other, value) : value
  }
  return all
}
