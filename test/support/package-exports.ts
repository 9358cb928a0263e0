/** The subpaths of the package and their modules, as `package.json` declares them. */
import { readFileSync } from 'node:fs'

const { exports }: { readonly exports: Readonly<Record<string, string | null>> } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

/** Every subpath that leads to a module, with the built file; a subpath that is closed (`null`) leads to none. */
export function moduleExports(): [subpath: string, file: string][] {
  return Object.entries(exports).flatMap(([subpath, file]) =>
    file?.endsWith('.js') ? [[subpath, file] as [string, string]] : [],
  )
}

/** The subpaths that name one module each, without patterns such as `./protocols/*`. */
export function singleModuleExports(): [subpath: string, file: string][] {
  return moduleExports().filter(([subpath]) => !subpath.includes('*'))
}
