/** What holds for the page as a whole: keys, links, themes, phones, accessibility. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { unpackState } from '../../playground/src/share-link.ts'
import { findChromium } from '../support/browser.ts'
import { serveDemoGateway } from '../support/demo-gateway.ts'
import { eventually, playgroundBrowser } from '../support/playground-browser.ts'
import {
  DESKTOP,
  horizontalOverflow,
  keepScreenshot,
  openTab,
  PHONE,
  seriousFindings,
} from '../support/playground-page.ts'

const chromium = findChromium()
const TABS = ['Extract', 'Convert', 'Try', 'Traffic'] as const

describe.skipIf(chromium === undefined)('the page', () => {
  const { open, url } = playgroundBrowser(chromium, serveDemoGateway)

  const selectedTab = (page: Page) => page.getByRole('tab', { selected: true }).textContent()
  const focused = (page: Page) => page.evaluate('document.activeElement.textContent')

  test('tabs are one stop, and arrows, Home and End move between them', async () => {
    const page = await open()
    await page.getByRole('tab', { name: 'Extract' }).focus()
    for (const [key, expected] of [
      ['ArrowRight', 'Convert'],
      ['ArrowLeft', 'Extract'],
      ['ArrowLeft', 'Traffic'],
      ['ArrowRight', 'Extract'],
      ['End', 'Traffic'],
      ['Home', 'Extract'],
    ] as const) {
      await page.keyboard.press(key)
      expect([await selectedTab(page), await focused(page)]).toEqual([expected, expected])
    }
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Copy link')
  })

  test('numbers open tabs, but not where somebody types', async () => {
    const page = await open()
    await page.keyboard.press('2')
    await eventually(() => selectedTab(page)).toBe('Convert')
    await eventually(() => page.getByLabel('What to convert').inputValue()).not.toBe('')
    await page.keyboard.press('/')
    await page.keyboard.press('1')
    expect(await selectedTab(page)).toBe('Convert')
    expect(await page.getByLabel('What to convert').inputValue()).toContain('1')
  })

  test('? opens the help, Escape closes it and gives the focus back', async () => {
    const page = await open()
    await page.getByRole('tab', { name: 'Extract' }).focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Help' })
    await help.waitFor()
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'hidden' })
    expect(await focused(page)).toBe('Extract')
  })

  test('the theme follows the system until it is chosen, and is kept', async () => {
    const page = await open('', { ...DESKTOP, colorScheme: 'dark' })
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const dark = await background()
    await page.keyboard.press('t')
    await eventually(background).not.toBe(dark)
    const light = await background()
    await page.reload()
    await eventually(background).toBe(light)
  })

  test('a link brings back what was shared', async () => {
    const page = await open()
    await eventually(() => page.getByLabel('Reply of the model').inputValue()).not.toBe('')
    const reply = 'Übung: <tool_call>{"name": "search", "arguments": {"query": "雨"}}</tool_call>'
    await page.getByLabel('Reply of the model').fill(reply)
    await page.getByLabel('Protocol').selectOption('hermes')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').waitFor()
    const link: string = await page.evaluate('navigator.clipboard.readText()')
    expect(link.startsWith(`${url()}#extract/`)).toBe(true)

    const other = await open(link.slice(url().length))
    await eventually(() => other.getByLabel('Reply of the model').inputValue()).toBe(reply)
    await eventually(() => other.getByLabel('Protocol').inputValue()).toBe('hermes')
    await eventually(() => other.getByTestId('summary').textContent()).toBe('1 call in hermes')
  })

  test('what is typed survives a reload, and a broken link does no harm', async () => {
    const page = await open('#convert/not-a-state')
    await eventually(() => selectedTab(page)).toBe('Convert')
    await eventually(() => page.getByLabel('What to convert').inputValue()).not.toBe('')
    await page.getByLabel('What to convert').fill('{"messages": []}')
    const kept = async () => unpackState(new URL(page.url()).hash.split('/')[1] ?? '')
    await eventually(kept).toMatchObject({ text: '{"messages": []}' })
    await page.reload()
    await eventually(() => page.getByLabel('What to convert').inputValue()).toBe('{"messages": []}')
  })

  test('says so when the library cannot be loaded', async () => {
    const page = await open()
    await page.route('**/worker-*', (route) => route.fulfill({ status: 404 }))
    await page.reload()
    await eventually(() => page.getByRole('alert').allTextContents()).toEqual([
      'Toolglot could not be loaded; reload the page',
    ])
  })

  const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
    ['light', { ...DESKTOP, colorScheme: 'light' }],
    ['dark', { ...DESKTOP, colorScheme: 'dark' }],
    ['phone', { ...PHONE, colorScheme: 'light' }],
    ['phone-dark', { ...PHONE, colorScheme: 'dark' }],
  ]

  test.for(looks)(
    '%s: every tab is accessible and as wide as the window',
    async ([name, options]) => {
      const page = await open('', options)
      await page.getByTestId('summary').waitFor()
      for (const tab of TABS) {
        await openTab(page, tab)
        await FILL[tab](page)
        expect(await seriousFindings(page), tab).toEqual([])
        expect(await horizontalOverflow(page), tab).toBe(0)
        await keepScreenshot(page, `${tab.toLowerCase()}-${name}`)
      }
      await page.getByRole('button', { name: 'Help and shortcuts' }).click()
      expect(await seriousFindings(page), 'Help').toEqual([])
      await keepScreenshot(page, `help-${name}`)
    },
  )
})

const VARIED_REPLY = `<think>First the weather, then the ferry.</think>One moment.
<tool_call>
{"name": "getWeather", "arguments": {"city": "Oslo", "days": "2"}}
</tool_call></tool_call>
<tool_call>{"name": "order_pizza", "arguments": {"size": "large"}}</tool_call>
And now the ferries:
<tool_call>
{'name': 'search', 'arguments': {'query': "fjord ferries", 'limit': "5", 'exact': True,}}
</tool_call>`

/** Something of everything that a tab can show. */
const FILL: Readonly<Record<(typeof TABS)[number], (page: Page) => Promise<void>>> = {
  async Extract(page) {
    await page.getByLabel('Reply of the model').fill(VARIED_REPLY)
    await eventually(() => page.getByTestId('summary').textContent()).toContain('2 calls')
    await page.getByText('Tools', { exact: true }).click()
    await page.getByLabel('Chunks that have arrived').fill('48')
    await page.getByRole('region', { name: 'Events' }).waitFor()
  },
  async Convert(page) {
    await page.getByLabel('Sample').selectOption('request gemini')
    await page.getByRole('combobox', { name: 'To' }).selectOption('cohere')
    await eventually(() => page.getByTestId('detected').textContent()).toBe('request, gemini')
  },
  async Try(page) {
    // Filling takes two steps, between which the page must not put the first model there.
    await eventually(() => page.getByLabel('Model').inputValue()).not.toBe('')
    await page.getByLabel('Model').fill('demo/hermes')
    await page.getByRole('button', { name: 'Send' }).click()
    await eventually(() => page.getByText('read from hermes').count()).toBe(1)
    await eventually(() => page.getByRole('region', { name: 'Raw' }).locator('pre').count()).toBe(2)
  },
  async Traffic(page) {
    await page.getByRole('region', { name: 'Requests' }).getByRole('button').last().click()
    await page.getByRole('region', { name: 'From the provider' }).waitFor()
  },
}
