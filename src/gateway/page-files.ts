/** The files of the playground, read once. */
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PageFile } from './pages/page.ts'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
  '.json': 'application/json',
}

/** Where the build puts them, seen from the built package and from the sources. */
const FOLDERS = ['../playground/', '../../dist/playground/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

export function createPageFiles(
  folders: readonly string[] = FOLDERS,
): (path: string) => Promise<PageFile | undefined> {
  const known = new Map<string, PageFile>()

  return async (path) => {
    const kept = known.get(path)
    if (kept) return kept
    const file = await find(path, folders)
    if (file) known.set(path, file)
    return file
  }
}

async function find(path: string, folders: readonly string[]): Promise<PageFile | undefined> {
  const contentType = CONTENT_TYPES[extname(path)]
  if (contentType === undefined) return undefined
  for (const folder of folders) {
    const file = normalize(join(folder, path))
    if (!file.startsWith(normalize(folder + sep))) continue
    const bytes = await readFile(file).catch(() => undefined)
    // Whatever the build puts there has a digest of the content in its name.
    if (bytes) return { contentType, bytes, isLasting: path.startsWith('/assets/') }
  }
  return undefined
}
