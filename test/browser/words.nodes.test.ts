/** The words that people read, in a real Chromium against a local stack: amounts in coins, refusals in words, all digits on a phone. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory } from '../swaps/story.ts'
import { announceWallet } from './announced-wallet.ts'
import { startChromium } from './chromium.ts'
import { flaws, rawTexts, useFonts, watchedPage } from './page-checks.ts'

const ETHEREUM = 'ethereum_localnet'
const LONG = '123456.123456789012345678'
const RAW = 'from_amount must be from 10000 to 100000000 in the smallest unit of bitcoin_regtest:btc, got 7996419'
/** The visible and the full width of the amount that is paid, and the size of its letters. */
const MEASURE = `{ const field = document.querySelector('.amount'); [field.clientWidth, field.scrollWidth, Number.parseFloat(getComputedStyle(field).fontSize)] }`

await describeWithBrowser('words on the pages', () => {
  const story = opened(() => openStory({ chains: ['bitcoin_regtest', ETHEREUM] }))
  const browser = opened(startChromium)
  let user: BrowserContext
  let page: Page
  let folder: string
  const problems: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tandem-words-'))
    user = await browser.open()
    await announceWallet(user, story)
    page = await visit(user)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const origin = () => new URL(story.info.base_url).origin

  async function visit(of: BrowserContext, path = '/'): Promise<Page> {
    const opened = await watchedPage(of, problems)
    await opened.goto(`${origin()}${path}`)
    return opened
  }

  async function shots(name: string, of: Page = page): Promise<void> {
    expect(await flaws(of, `words-${name}`)).toEqual([])
  }

  const amountOf = (side: 'pay' | 'get') => page.getByLabel(new RegExp(`You ${side}: amount`))
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const main = () => page.locator('main').innerText()
  const status = (value: string) => page.waitForSelector(`h1[data-status="${value}"]`)

  async function order(): Promise<void> {
    await button(/^Swap$/).click()
    const skip = button('Skip: it is play money')
    const heading = page.locator('h1[data-status]')
    await skip.or(heading).first().waitFor()
    if (await skip.isVisible()) await skip.click()
    await heading.waitFor()
  }

  test('an amount out of range: the button says what to enter, in coins', async () => {
    await button('Get play BTC').click()
    await amountOf('pay').fill('0.00001')
    await button('Enter at least 0.0001 BTC').waitFor()
    expect(await button('Enter at least 0.0001 BTC').isDisabled()).toBe(true)
    await amountOf('pay').fill('99')
    await button('Enter at most 1 BTC').waitFor()
    await amountOf('get').fill('99')
    await button('Enter at most 1 WBTC').waitFor()
    await shots('range')
    expect(await rawTexts(page)).toEqual([])
  })

  test.each([
    ['amount_out_of_range', 'Change the amount', 'You get: only amounts from 0.0001 WBTC to 1 WBTC can be swapped at a time.'],
    ['insufficient_liquidity', 'Enter a smaller amount', 'No solver has that much at the moment.'],
    ['new_code', 'No price at the moment', 'Something went wrong.'],
  ])('a price that is refused with %s', async (code, told, sentence) => {
    await page.route('**/v2/quote?*', (route) => route.fulfill({ status: 400, json: { status: 'Error', error: RAW, code, result: null } }))
    await amountOf('pay').fill('0.01')
    await button(told).waitFor()
    await page.getByText(sentence).waitFor()
    expect(await rawTexts(page)).toEqual([])
    await page.getByText('Details', { exact: true }).click()
    expect(await main()).toContain(`${code}: ${RAW}`)
    await shots(`refused-${code}`)
    await page.unroute('**/v2/quote?*')
    await amountOf('pay').fill('')
  })

  test('the balance of the payer: too little is reported before anything is ordered, and Max leaves the fee', async () => {
    await page.getByText('You have 0.1 BTC').waitFor()
    await amountOf('pay').fill('0.5')
    await button('Not enough BTC').waitFor()
    await page.getByText(/^Not enough BTC: you have 0\.1 BTC, you need 0\.500\d+ BTC with the network fee\.$/).waitFor()
    await shots('funds')
    await button(/^Max/).click()
    const most = Number(await amountOf('pay').inputValue())
    expect([most < 0.1, most > 0.0999]).toEqual([true, true])
    await button(/^Swap$/).waitFor()
    expect(await rawTexts(page)).toEqual([])
  })

  test('the balance of a wallet of this browser is shown once it is chosen', async () => {
    await button(/^BTC Bitcoin/).click()
    await button('ETH Ether Ethereum Localnet').click()
    await button('Change').click()
    await button('Test Wallet').click()
    await page.getByText(/^You have [\d\u202f.]+ ETH$/).waitFor()
    await amountOf('pay').fill('0.01')
    await button(/^Swap$/).waitFor()
  })

  test.each(['narrow', 'wide'] as const)('on a phone all digits of an amount are seen: %s fonts', async (fonts) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await useFonts(page, fonts)
    for (const text of [LONG, '0.01', '1234.56789012']) {
      await amountOf('pay').fill(text)
      const [shown, all, size] = (await page.evaluate(MEASURE)) as [number, number, number]
      expect({ text, isWhole: all <= shown }).toEqual({ text, isWhole: true })
      expect(size).toBeGreaterThanOrEqual(13)
    }
    await shots(`digits-${fonts}`)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('cancelled while no solver answers: it says at once what it is waiting for, and until when', async () => {
    await page.goto(origin())
    await page.getByLabel(/Stop the solvers after my next order/).check()
    await amountOf('pay').fill('0.01')
    await order()
    await status('initiated')
    // The page says so before it has an answer.
    let isAsked = false
    let answer = () => {}
    const gate = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route('**/v2/orders/*?action=instant-refund*', async (route) => {
      isAsked = true
      await gate
      await route.continue()
    })
    await button('Cancel and refund now').click()
    await page.getByText(/^Waiting for the signature of the solver\..* at the latest\.$/).waitFor()
    await expect.poll(() => isAsked).toBe(true)
    await shots('cancel')
    expect(await rawTexts(page)).toEqual([])
    answer()
    await button('Start the solvers').first().click()
    // A solver that agreed to pay before it stopped pays instead.
    await page.waitForSelector('h1[data-status="refunded"], h1[data-status$="redeemed"]')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('the file that the rescue page asks for is saved here, and finished swaps are quiet there', async () => {
    const downloading = page.waitForEvent('download')
    await button('Save rescue file').click()
    const file = join(folder, 'tandem-rescue.json')
    await (await downloading).saveAs(file)
    await button('Show rescue phrase').click()
    const phrase = (await page.locator('.words li').allTextContents()).join(' ')
    await shots('phrase')

    const rescue = await visit(user, '/rescue')
    await rescue.fill('#phrase', phrase)
    await rescue.getByRole('button', { name: 'Find my swaps' }).click()
    await rescue.getByText('All of them have ended: there is nothing to do.').waitFor()
    expect(await rescue.locator('.alarm').count()).toBe(0)
    await shots('rescue-quiet', rescue)

    await rescue.reload()
    await rescue.setInputFiles('#file', file)
    await rescue.fill('#phrase', phrase)
    await rescue.getByRole('button', { name: 'Find my swaps' }).click()
    await rescue.getByText('All of them have ended: there is nothing to do.').waitFor()
    expect(await rescue.getByText(/of another phrase/).count()).toBe(0)
    await rescue.close()
  })

  test('a path that does not exist shows a page with links to the others', async () => {
    const stranger = await browser.open()
    const missing = await visit(stranger, '/no-such-page')
    await missing.getByRole('heading', { name: 'There is no page at this address' }).waitFor()
    await shots('missing', missing)
    await missing.getByRole('main').getByRole('link', { name: 'Docs' }).click()
    await missing.waitForURL(`${origin()}/docs`)
    await stranger.close()
  })

  test('no page broke its policy, asked another site or threw', () => {
    expect(problems).toEqual([])
  })
})
