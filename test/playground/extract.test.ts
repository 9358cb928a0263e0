/** The Extract tab in a real browser. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../support/browser.ts'
import { serveBuiltPage } from '../support/built-page.ts'
import { eventually, playgroundBrowser } from '../support/playground-browser.ts'

const chromium = findChromium()

describe.skipIf(chromium === undefined)('Extract', () => {
  const { open } = playgroundBrowser(chromium, serveBuiltPage)

  const replyField = (page: Page) => page.getByLabel('Reply of the model')
  const summary = (page: Page) => page.getByTestId('summary')
  const calls = (page: Page) => page.getByRole('region', { name: 'Calls' }).getByRole('article')
  const marked = (page: Page, kind: string) => page.locator(`.editor-marks .is-${kind}`)

  async function paste(page: Page, text: string): Promise<void> {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
    await replyField(page).focus()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('ControlOrMeta+v')
  }

  /** Filling takes two steps, between which the page must not put its sample there. */
  async function openReady(): Promise<Page> {
    const page = await open()
    await eventually(() => calls(page).count()).toBe(1)
    return page
  }

  test('opens with a sample whose call is found, repaired and marked', async () => {
    const page = await openReady()
    await eventually(() => summary(page).textContent()).toBe('1 call in hermes, 9 repairs')
    const card = calls(page).first()
    expect(await card.textContent()).toContain('"query": "fjord ferries"')
    expect(await card.textContent()).toContain('replaced-quotes')
    expect(await marked(page, 'call').textContent()).toMatch(/^<tool_call>[\s\S]*<\/tool_call>$/)
  })

  test('reads again while somebody types', async () => {
    const page = await openReady()
    await replyField(page).fill('[{"name": "get_weather", "arguments": {"city": "Bergen"}}]')
    await eventually(() => calls(page).allTextContents()).toHaveLength(1)
    await eventually(() => calls(page).first().textContent()).toContain('"city": "Bergen"')
    await replyField(page).fill('Nothing to call here.')
    await eventually(() => summary(page).textContent()).toBe('No calls')
  })

  test('shows reasoning, issues and what was dropped apart', async () => {
    const page = await openReady()
    await replyField(page).fill(
      '<think>Oslo, then.</think>Here: <tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>' +
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call></tool_call>',
    )
    await eventually(() => summary(page).textContent()).toContain('1 issue')
    expect(await marked(page, 'reasoning').allTextContents()).toContain('Oslo, then.')
    expect(await marked(page, 'issue').textContent()).toContain('no_such_tool')
    expect(await marked(page, 'markup').allTextContents()).toContain('</tool_call>')
    const issues = page.getByRole('region', { name: 'Issues' })
    expect(await issues.textContent()).toContain('unknown-tool')
    expect(await page.getByRole('region', { name: 'Reasoning' }).textContent()).toContain(
      'Oslo, then.',
    )
  })

  test('a place selects what it names in the reply', async () => {
    const page = await openReady()
    await page.getByRole('button', { name: 'Select 2:1–4:13 in the reply' }).click()
    const selected = await page.evaluate('getSelection().toString()')
    expect(selected).toMatch(/^<tool_call>[\s\S]*<\/tool_call>$/)
  })

  test('only the chosen protocol is read', async () => {
    const page = await openReady()
    await eventually(() => calls(page).count()).toBe(1)
    await page.getByLabel('Protocol').selectOption('mistral-v11')
    await eventually(() => summary(page).textContent()).toBe('No calls, 1 issue')
  })

  test('there is a sample for every protocol, and its call is found', async () => {
    const page = await openReady()
    const options = page.locator('optgroup[label="One call in each format"] option')
    await eventually(() => options.count()).toBeGreaterThan(60)
    const ids = await options.evaluateAll((all) =>
      all.map((one) => one.getAttribute('value') ?? ''),
    )
    for (const id of ids.filter((_, at) => at % 7 === 0)) {
      await replyField(page).fill('')
      await eventually(() => summary(page).textContent()).toBe('No calls')
      await page.getByLabel('Sample').selectOption(id)
      await eventually(() => summary(page).textContent(), id).toContain('1 call')
    }
  })

  test('tools that are no JSON are told with their place, and the reply is read without them', async () => {
    const page = await openReady()
    await page.getByText('Tools', { exact: true }).click()
    await page.getByLabel('Tools', { exact: true }).fill('[\n  {"name": }\n]')
    await eventually(() => page.getByText('Not JSON from line 2:12 on').count()).toBe(1)
    await eventually(() => calls(page).count()).toBe(1)
  })

  test('a whole response of a provider is read as one', async () => {
    const page = await openReady()
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'search', arguments: '{"query":"x"}' },
    }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    await replyField(page).fill(JSON.stringify({ choices: [{ index: 0, message }] }))
    await eventually(() => summary(page).textContent()).toContain('in a whole response')
    expect(await calls(page).first().textContent()).toContain('native')
  })

  test('the replay shows what is known after each chunk', async () => {
    const page = await openReady()
    await replyField(page).fill(
      'One moment. <tool_call>{"name": "search", "arguments": {"query": "ferries"}}</tool_call>',
    )
    await eventually(() => calls(page).allTextContents()).toHaveLength(1)
    const slider = page.getByLabel('Chunks that have arrived')
    await slider.fill('0')
    await eventually(() => summary(page).textContent()).toBe('No calls')
    await eventually(() => marked(page, 'coming').count()).toBe(1)

    await slider.fill('12')
    const events = page.getByRole('region', { name: 'Events' })
    await eventually(() => events.textContent()).toContain('call-start')
    expect(await events.textContent()).not.toContain('call-end')
    expect(await calls(page).count()).toBe(0)

    await slider.press('End')
    await eventually(() => events.textContent()).toContain('call-end')
    await eventually(() => calls(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Show all' }).click()
    await eventually(() => events.count()).toBe(0)
  })

  test('a megabyte does not keep anybody from typing', async () => {
    const page = await openReady()
    const call = '<tool_call>{"name": "search", "arguments": {"query": "x"}}</tool_call>\n'
    const reply = 'Some words of a long reply.\n'.repeat(36_000) + call.repeat(200)
    expect(reply.length).toBeGreaterThan(1_000_000)
    await paste(page, reply)
    await eventually(() => summary(page).textContent()).toContain('200 calls')
    const started = Date.now()
    await replyField(page).press('End')
    await replyField(page).press('x')
    expect(Date.now() - started).toBeLessThan(10_000)
  })
})
