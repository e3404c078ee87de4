/** The reference in a real Chromium: search, try it, themes, sizes, and reading without scripts. */
import { opened } from '@tandem/runtime/opened.fixture.ts'
import type { BrowserContext } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory } from '../swaps/story.ts'
import { startChromium } from './chromium.ts'
import { flaws, misfits, WIDTHS, watchedPage } from './page-checks.ts'

const PAGES = {
  overview: '/docs',
  quote: '/docs/api/getQuote',
  order: '/docs/api/createOrder',
  errors: '/docs/errors',
  lifecycle: '/docs/lifecycle',
  guide: '/docs/guides/first-swap',
  results: '/docs/search?q=refund',
  missing: '/docs/nothing',
}

await describeWithBrowser('the reference', () => {
  const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }))
  const browser = opened(startChromium)
  let reader: BrowserContext
  const problems: string[] = []

  beforeAll(async () => {
    reader = await browser.open()
  })

  async function visit(path: string, context = reader) {
    const page = await watchedPage(context, problems)
    await page.goto(new URL(path, story.info.base_url).href)
    return page
  }

  test('search by the keyboard leads to the right part of a page', async () => {
    const page = await visit('/docs')
    await page.keyboard.press('/')
    await page.keyboard.type('price_moved')
    await page.waitForSelector('[role="option"]')
    expect((await page.locator('[role="listbox"]').boundingBox())?.x).toBeGreaterThanOrEqual(0)
    expect(await flaws(page, 'docs-search')).toEqual([])
    await page.keyboard.press('ArrowDown')
    expect(await page.getAttribute('[role="combobox"]', 'aria-activedescendant')).toBe('search-result-0')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/errors#price_moved')
    await page.keyboard.press('/')
    await page.keyboard.type('quote')
    await page.waitForSelector('[role="option"]')
    await page.keyboard.type(' xyzzy')
    await page.getByText('No page contains all these words.').waitFor()
    expect(await page.isVisible('[role="listbox"]')).toBe(false)
    expect(await flaws(page, 'docs-search-nothing')).toEqual([])
    for (let key = 0; key < ' xyzzy'.length; key += 1) await page.keyboard.press('Backspace')
    await page.waitForSelector('[role="option"]')
    await page.keyboard.press('Escape')
    expect(await page.isVisible('[role="listbox"]')).toBe(false)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/search?q=quote')
    expect(await page.textContent('main')).toContain('Quotes for a swap')
    await page.close()
  })

  test('a search index that was refused is requested again with the next key', async () => {
    const page = await visit('/docs')
    let refusals = 1
    await page.route('**/docs/search.json', (route) => (refusals-- > 0 ? route.fulfill({ status: 429, body: '{}' }) : route.continue()))
    await page.fill('.search input', 'refun')
    await page.getByText('The search did not load.').waitFor()
    await page.fill('.search input', 'refund')
    await page.waitForSelector('[role="option"]')
    await page.close()
  })

  test('try it: the local app id is filled in, and the answer is shown', async () => {
    const page = await visit('/docs/api/getQuote')
    expect(await page.inputValue('#try-app')).toBe(story.info.app_id)
    await page.click('.try button[type="submit"]')
    await page.waitForSelector('.outcome .good')
    expect(await page.textContent('.outcome .good')).toContain('Answered 200, request id')
    expect(JSON.parse((await page.textContent('.outcome pre')) ?? '')).toMatchObject({
      status: 'Ok',
      result: [{ source: { amount: '1000000' } }],
    })
    await page.fill('#try-query-from_amount', '<b>1</b>')
    await page.click('.try button[type="submit"]')
    await page.waitForSelector('.outcome .wrong')
    expect(await page.textContent('.outcome pre')).toContain('bad_request')
    expect(await page.locator('.outcome b').count()).toBe(0)
    expect(await page.textContent('.outcome .said')).toMatch(/from_amount must be a positive integer/)
    expect(await page.getAttribute('.outcome .said a', 'href')).toBe('/docs/errors#bad_request')
    expect(await page.isVisible('#try-query-slippage')).toBe(false)
    await page.getByText('more, optional').click()
    expect(await page.isVisible('#try-query-slippage')).toBe(true)
    expect(await flaws(page, 'docs-try')).toEqual([])
    await page.close()
  })

  test('try it: an order that was made is the one of the next page, and can be watched live', async () => {
    const page = await visit('/docs/api/createOrder')
    // A solver that is busy may refuse an order for a while.
    const order = async () => {
      await page.click('.try button[type="submit"]')
      await page.waitForSelector('.outcome .good, .outcome .wrong')
      return (await page.locator('.outcome .good').count()) > 0 ? 'made' : page.textContent('.outcome')
    }
    await expect.poll(order, { interval: 500 }).toBe('made')
    const { result } = JSON.parse((await page.textContent('.outcome pre')) ?? '') as { result: { order_id: string } }
    await page.goto(new URL('/docs/api/followOrder', story.info.base_url).href)
    expect(await page.inputValue('#try-path-order_id')).toBe(result.order_id)
    await page.click('.try button[type="submit"]')
    // The policy of the page forbids waitForFunction: it evaluates a string.
    await expect.poll(() => page.textContent('.outcome pre')).toContain('"status":"created"')
    await page.click('.try .stop')
    await expect.poll(() => page.locator('.outcome p').first().textContent()).toBe('Stopped.')
    await page.close()
  })

  test('a language that was chosen once is that of every sample, and code is copied as it is', async () => {
    const page = await visit('/docs')
    await page.getByText('Python', { exact: true }).first().click()
    await page.goto(new URL('/docs/api/listChains', story.info.base_url).href)
    expect(await page.isVisible('.panel-python')).toBe(true)
    expect(await page.isVisible('.panel-sh')).toBe(false)
    await page.click('.panel-python .copy')
    const copied = await page.evaluate('navigator.clipboard.readText()')
    expect(copied).toBe(await page.textContent('.panel-python code'))
    expect(copied).toContain('urllib.request')
    await page.close()
  })

  test.each(Object.entries(PAGES))('%s: on a desktop and on a phone, light and dark, nothing that axe objects to', async (name, path) => {
    const page = await visit(path)
    await page.waitForSelector('.theme:not([hidden])')
    expect(await flaws(page, `docs-${name}`)).toEqual([])
    await page.close()
  })

  test('every page fits, in narrow and in wide fonts, on a desktop and on a phone', async () => {
    const page = await visit('/docs')
    const paths = (await page.evaluate('[...document.querySelectorAll("#pages a")].map((link) => link.pathname)')) as readonly string[]
    expect(paths.length).toBeGreaterThan(20)
    const found: string[] = []
    for (const path of new Set(paths)) {
      await page.goto(new URL(path, story.info.base_url).href)
      for (const [name, size] of Object.entries(WIDTHS)) {
        await page.setViewportSize(size)
        found.push(...(await misfits(page)).map((one) => `${path} on a ${name}, ${one}`))
      }
    }
    expect(found).toEqual([])
    await page.close()
  })

  test('on a phone the list of pages is opened by a button', async () => {
    const context = await browser.open({ phone: true })
    const page = await visit('/docs/errors', context)
    expect(await page.isVisible('#pages')).toBe(false)
    await page.getByRole('button', { name: 'Contents' }).click()
    expect(await page.isVisible('#pages')).toBe(true)
    expect(await flaws(page, 'docs-contents')).toEqual([])
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.waitForURL('**/docs/guides/webhooks')
    await context.close()
  })

  test('without scripts everything can be read and searched', async () => {
    const context = await browser.open()
    await context.route('**/*.js', (route) => route.abort())
    const page = await visit('/docs/api/getQuote', context)
    expect(await page.isVisible('.panel-sh')).toBe(true)
    await page.getByText('TypeScript', { exact: true }).first().click()
    expect(await page.isVisible('.panel-ts')).toBe(true)
    expect(await page.isVisible('form.try')).toBe(false)
    await page.fill('[type="search"]', 'webhooks')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/search?q=webhooks')
    expect(await page.textContent('main')).toContain('Webhooks')
    await context.close()
  })

  test('no page broke its policy, asked another site or threw', () => {
    expect(problems).toEqual([])
  })
})
