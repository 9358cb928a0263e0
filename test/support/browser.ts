/** A real browser for tests of the page. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const HOW_TO_INSTALL =
  'the tests of the playground need Chromium: install it (Debian: apt-get install chromium), ' +
  'or say where it is with CHROMIUM_PATH'

/** Where Chromium is; undefined when it is not installed. In CI that is an error. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = [
    ...(process.env['CHROMIUM_PATH'] ? [process.env['CHROMIUM_PATH']] : []),
    ...folders.flatMap((folder) => NAMES.map((name) => join(folder, name))),
  ]
  const found = candidates.find(isProgram)
  if (found === undefined && process.env['CI']) throw new Error(HOW_TO_INSTALL)
  if (found === undefined) console.warn(`Skipped: ${HOW_TO_INSTALL}`)
  return found
}

export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: FLAGS })
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
