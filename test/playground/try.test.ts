/** The Try tab in a real browser, with the demo models of a real gateway. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { unpackState } from '../../playground/src/share-link.ts'
import { findChromium } from '../support/browser.ts'
import { serveDemoGateway } from '../support/demo-gateway.ts'
import { eventually, playgroundBrowser } from '../support/playground-browser.ts'

const chromium = findChromium()

const conversation = (page: Page) => page.getByRole('log')
const panes = (page: Page, title: string) => conversation(page).getByRole('region', { name: title })

async function ask(page: Page, model: string, text: string): Promise<void> {
  // Filling takes two steps, between which the page must not put the first model there.
  await eventually(() => page.getByLabel('Model').inputValue()).not.toBe('')
  await page.getByLabel('Model').fill(model)
  await page.getByLabel('Message').fill(text)
  await page.getByLabel('Message').press('Control+Enter')
}

describe.skipIf(chromium === undefined)('Try', () => {
  const { open } = playgroundBrowser(chromium, serveDemoGateway)

  test.for(['streamed', 'whole'])(
    'a tool loop, %s: text from the model, a call for the client',
    async (kind) => {
      const page = await open('#try')
      await page.getByLabel('Stream').setChecked(kind === 'streamed')
      await ask(page, 'demo/hermes', 'What is the weather in Oslo?')

      await eventually(() => panes(page, 'Rescued').count()).toBe(2)
      await eventually(() => panes(page, 'Raw').first().textContent()).toContain('<tool_call>')
      const call = panes(page, 'Rescued').first().getByRole('article')
      await eventually(() => call.textContent()).toContain('get_weather')
      expect(await panes(page, 'Rescued').first().textContent()).not.toContain('<tool_call>')
      await eventually(() => panes(page, 'Rescued').first().textContent()).toContain(
        'read from hermes',
      )

      await page.getByRole('button', { name: 'Bytes' }).first().click()
      await eventually(() => panes(page, 'Raw').first().textContent()).toContain('"choices"')
      await eventually(() => panes(page, 'Rescued').last().textContent()).toContain('overcast')
    },
  )

  test('models are offered, and one is chosen', async () => {
    const page = await open('#try')
    await eventually(() => page.getByLabel('Model').inputValue()).toBe('demo/hermes')
    expect(await page.locator('#models option').count()).toBeGreaterThan(3)
  })

  test('without a canned result, it is asked for', async () => {
    const page = await open('#try')
    await page.getByText('Canned results', { exact: true }).click()
    await page.getByLabel('Canned results', { exact: true }).fill('{}')
    await ask(page, 'demo/hermes', 'What is the weather in Oslo?')
    await page.getByLabel('Result of get_weather').fill('{"sky": "full of stars"}')
    await page.getByRole('button', { name: 'Send the result' }).click()
    await eventually(() => panes(page, 'Rescued').last().textContent()).toContain('full of stars')
  })

  test('a reply can be stopped', async () => {
    const page = await open('#try')
    await ask(page, 'demo/slow', 'What is the weather in Oslo?')
    await page.getByRole('button', { name: 'Stop' }).click()
    await eventually(() => panes(page, 'Rescued').last().textContent()).toContain('Stopped')
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.getByRole('button', { name: 'Start over' }).click()
    await eventually(() => conversation(page).count()).toBe(0)
  })
})

describe.skipIf(chromium === undefined)('Try, where keys are needed', () => {
  const { open } = playgroundBrowser(chromium, () =>
    serveDemoGateway({
      traffic: true,
      keys: [{ name: 'tester', key: 'a-key-for-tests', admin: true }],
    }),
  )

  test('the key is sent, kept for the window, and not part of the link', async () => {
    const page = await open('#try')
    await page.getByText('Enter the key first').waitFor()
    await page.getByLabel('Key of the gateway').fill('a-key-for-tests')
    await page.getByLabel('Key of the gateway').press('Enter')
    await eventually(() => page.getByLabel('Model').inputValue()).toContain('demo/')
    await page.reload()
    await eventually(() => page.getByLabel('Key of the gateway').inputValue()).toBe(
      'a-key-for-tests',
    )
    await ask(page, 'demo/hermes', 'What is the weather in Oslo?')
    await eventually(() => panes(page, 'Raw').first().textContent()).toContain('<tool_call>')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').waitFor()
    const link: string = await page.evaluate('navigator.clipboard.readText()')
    const state = await unpackState(new URL(link).hash.split('/')[1] ?? '')
    expect(JSON.stringify(state)).toContain('demo/hermes')
    expect(JSON.stringify(state)).not.toContain('a-key-for-tests')
  })
})
