/** The version of the package. */
import { readFileSync } from 'node:fs'

export function readVersion(): string {
  const file = new URL('../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string } // our own file
  return version
}
