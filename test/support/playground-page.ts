/** The playground in a browser: opened, watched for errors, looked at. */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

const ARTIFACTS = fileURLToPath(new URL('../../test-artifacts/playground', import.meta.url))

export interface OpenedPage {
  readonly page: Page
  /** What the console complained of, and requests that left our server. */
  readonly problems: readonly string[]
  close(): Promise<void>
}

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1360, height: 900 } }
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
}

export async function openPlayground(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = DESKTOP,
): Promise<OpenedPage> {
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin)) problems.push(`asked ${request.url()}`)
  })
  await page.goto(url)
  await page.getByRole('tablist').waitFor()
  return { page, problems, close: () => context.close() }
}

export async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name }).click()
}

/** Kept as an artefact of the test run. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true })
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`), fullPage: true })
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** Serious and critical findings about accessibility, one line each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const tags = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'])
  const run = `axe.run(document, { runOnly: ${tags} }).then(({ violations }) => violations)`
  const violations: readonly Violation[] = await page.evaluate(run)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    )
}

/** How much wider the page is than the window. */
export function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}
