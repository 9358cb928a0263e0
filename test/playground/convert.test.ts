/** The Convert tab in a real browser. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../support/browser.ts'
import { serveBuiltPage } from '../support/built-page.ts'
import { eventually, playgroundBrowser } from '../support/playground-browser.ts'

const chromium = findChromium()

/** In the page: whatever is asked of the worker arrives there late. */
const SLOW_WORKER = `
  const send = Worker.prototype.postMessage
  Worker.prototype.postMessage = function (order) {
    setTimeout(() => send.call(this, order), 300)
  }`

describe.skipIf(chromium === undefined)('Convert', () => {
  const { open } = playgroundBrowser(chromium, serveBuiltPage)

  const source = (page: Page) => page.getByLabel('What to convert')
  const detected = (page: Page) => page.getByTestId('detected')
  const losses = (page: Page) => page.getByTestId('losses')
  const output = (page: Page) => page.getByRole('region', { name: 'To' }).locator('pre')

  /** Filling takes two steps, between which the page must not put its sample there. */
  async function openReady(): Promise<Page> {
    const page = await open('#convert')
    await eventually(() => detected(page).textContent()).toBe('request, openai-chat')
    return page
  }

  test('opens with a request and shows it in the other dialect', async () => {
    const page = await openReady()
    await eventually(() => output(page).textContent()).toContain('"tool_use_id": "call_1"')
    expect(await losses(page).textContent()).toBe('Nothing was lost or changed')
  })

  test('says what the other dialect cannot express', async () => {
    const page = await openReady()
    const request = { model: 'm', seed: 7, messages: [{ role: 'user', content: 'Hi' }] }
    await source(page).fill(JSON.stringify(request))
    await page.getByRole('combobox', { name: 'From' }).selectOption('openai-chat')
    await eventually(() => losses(page).textContent()).toMatch(/^Lost or changed: \d/)
    expect(await page.getByRole('region', { name: 'Lost or changed' }).textContent()).toContain(
      'seed',
    )
  })

  test.for(['request', 'response', 'stream', 'history', 'tools'] as const)(
    'a sample of the kind %s goes from every dialect to another',
    async (kind) => {
      const page = await openReady()
      for (const [from, to] of [
        ['anthropic', 'gemini'],
        ['gemini', 'openai-responses'],
        ['ollama', 'bedrock'],
        ['bedrock', 'mistral'],
      ] as const) {
        await page.getByRole('combobox', { name: 'To' }).selectOption(to)
        await page.getByLabel('Sample').selectOption(`${kind} ${from}`)
        await page.getByRole('combobox', { name: 'From' }).selectOption(from)
        const isRead = kind === 'tools' ? kind : `${kind}, ${from}`
        await eventually(() => detected(page).textContent()).toBe(isRead)
        await eventually(() => output(page).textContent()).toContain('get_weather')
      }
    },
  )

  test('what is chosen while a sample is on its way stays', async () => {
    const page = await openReady()
    await page.evaluate(SLOW_WORKER)
    await page.getByLabel('Sample').selectOption('history ollama')
    await page.getByRole('combobox', { name: 'From' }).selectOption('ollama')
    await eventually(() => detected(page).textContent()).toBe('history, ollama')
  })

  test('a stream becomes a whole reply when asked', async () => {
    const page = await openReady()
    await page.getByLabel('Sample').selectOption('stream openai-chat')
    await eventually(() => detected(page).textContent()).toBe('stream, openai-chat')
    await eventually(() => output(page).textContent()).toContain('event: message_start')
    await page.getByLabel('Stream as a whole reply').check()
    await eventually(() => output(page).textContent()).toContain('"stop_reason": "tool_use"')
  })

  test('the sides can be swapped', async () => {
    const page = await openReady()
    await eventually(() => output(page).textContent()).toContain('tool_use_id')
    const before = await output(page).textContent()
    await page.getByRole('button', { name: 'Swap the sides' }).click()
    expect(await source(page).inputValue()).toBe(before)
    await eventually(() => detected(page).textContent()).toBe('request, anthropic')
    await eventually(() => output(page).textContent()).toContain('"tool_call_id": "call_1"')
  })

  test('what is neither JSON nor a stream is told', async () => {
    const page = await openReady()
    await source(page).fill('{"model": ')
    await eventually(() => page.getByText('Not JSON from line 1:11 on').count()).toBe(1)
    await source(page).fill('Good morning.')
    await eventually(() => page.getByText('This is neither JSON nor a stream').count()).toBe(1)
  })
})
