/** The Traffic tab in a real browser, with a real gateway. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../support/browser.ts'
import { serveDemoGateway } from '../support/demo-gateway.ts'
import { eventually, playgroundBrowser } from '../support/playground-browser.ts'

const chromium = findChromium()

const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]

describe.skipIf(chromium === undefined)('Traffic', () => {
  const { open, url } = playgroundBrowser(chromium, serveDemoGateway)

  /** A client of the gateway, other than the page. */
  async function askAsClient(model: string): Promise<void> {
    const response = await fetch(`${url()}v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
        tools: TOOLS,
      }),
    })
    await response.text()
  }

  const requests = (page: Page) =>
    page.getByRole('region', { name: 'Requests' }).getByRole('listitem')
  const pane = (page: Page, title: string) =>
    page.getByRole('region', { name: title }).locator('pre')

  test('requests appear while they happen, with what was rescued', async () => {
    const page = await open('#traffic')
    await page.getByText('Live', { exact: true }).waitFor()
    const before = await requests(page).count()
    await askAsClient('demo/hermes')
    await eventually(() => requests(page).count()).toBe(before + 1)
    await eventually(() => requests(page).first().textContent()).toMatch(
      /^200POST \/v1\/chat\/completions/,
    )
    await eventually(() => requests(page).first().textContent()).toContain('hermes')
    await askAsClient('demo/no-such-model')
    await eventually(() => requests(page).first().textContent()).toMatch(/^404/)
  })

  test('tokens and cost by model are counted as requests end', async () => {
    await askAsClient('demo/react')
    const page = await open('#traffic')
    const row = page.getByRole('region', { name: 'Usage' }).getByRole('row', { name: 'demo/react' })
    const cells = () => row.getByRole('cell').allTextContents()
    await eventually(cells).toEqual([
      '–',
      'demo/react',
      '1',
      expect.any(String),
      expect.any(String),
      '$0.0000',
    ])
    await askAsClient('demo/react')
    await eventually(async () => (await cells())[2]).toBe('2')
  })

  test('the lines of the list begin and end alike, however long their paths are', async () => {
    await fetch(`${url()}v1/messages`, { method: 'POST', body: '{}' })
    await askAsClient('demo/hermes')
    await askAsClient('a-model-that-is-not-there')
    const page = await open('#traffic')
    await eventually(() => requests(page).count()).toBeGreaterThan(2)
    const edges = (name: string, side: 'left' | 'right') =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('${name}')].map((one) => one.getBoundingClientRect().${side}))].length`,
      )
    expect(await edges('.exchange .status', 'left')).toBe(1)
    expect(await edges('.exchange-time', 'right')).toBe(1)
  })

  test("the provider's bytes stand beside the client's, and can be opened elsewhere", async () => {
    await askAsClient('demo/hermes')
    const page = await open('#traffic')
    await requests(page).first().getByRole('button').click()
    await eventually(() => pane(page, 'From the provider').textContent()).toContain('<tool_call>')
    const client = await pane(page, 'To the client').textContent()
    expect(client).toContain('"tool_calls"')
    expect(client).not.toContain('<tool_call>')
    expect(await pane(page, 'Request of the client').textContent()).toContain('"demo/hermes"')

    await page.getByRole('button', { name: 'Open in Extract' }).click()
    await eventually(() => page.getByLabel('Reply of the model').inputValue()).toContain(
      '<tool_call>',
    )
    await page.getByRole('tab', { name: 'Traffic' }).click()
    await page.getByRole('button', { name: 'Open in Convert' }).click()
    await eventually(() => page.getByTestId('detected').textContent()).toBe('response, openai-chat')
  })
})

describe.skipIf(chromium === undefined)('Traffic, not recorded', () => {
  const { open } = playgroundBrowser(chromium, () => serveDemoGateway({ traffic: false }))

  test('says so', async () => {
    const page = await open('#traffic')
    await page.getByText('This gateway does not record its traffic.').waitFor()
  })
})
