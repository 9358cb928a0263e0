/** One browser for a file of tests, and a page for each test that must not complain. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { launchBrowser } from './browser.ts'
import { type OpenedPage, openPlayground } from './playground-page.ts'

export interface Server {
  readonly url: string
  close(): Promise<void>
}

export interface PlaygroundBrowser {
  /** The address of the page, with a slash at the end. */
  url(): string
  /** Opens the page; closed, and asked whether anything went wrong, behind the test. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>
}

export function playgroundBrowser(
  executablePath: string | undefined,
  serve: () => Promise<Server>,
): PlaygroundBrowser {
  let browser: Browser | undefined
  let server: Server | undefined
  let opened: OpenedPage[] = []

  beforeAll(async () => {
    if (executablePath === undefined) return
    server = await serve()
    browser = await launchBrowser(executablePath)
  })

  afterEach(async () => {
    const pages = opened
    opened = []
    await Promise.all(pages.map((one) => one.close()))
    expect(pages.flatMap(({ problems }) => problems)).toEqual([])
  })

  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  const url = (): string => server?.url ?? ''
  return {
    url,
    async open(hash = '', options) {
      if (!browser) throw new Error('the browser is not running')
      const one = await openPlayground(browser, url() + hash, options)
      opened.push(one)
      return one.page
    },
  }
}

/** What becomes true in a moment, however slow the machine is. */
export function eventually<Value>(
  look: () => Promise<Value>,
  message?: string,
): ReturnType<typeof expect.poll<Value>> {
  return expect.poll(look, { timeout: 20_000, ...(message !== undefined && { message }) })
}
