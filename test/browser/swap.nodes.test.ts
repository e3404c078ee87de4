/** People swap by clicking: the swap page in a real Chromium, against a whole local stack. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory, type Story } from '../swaps/story.ts'
import { type Browser, startChromium } from './chromium.ts'

const SHOTS = join(import.meta.dirname, '..', '..', '.tandem', 'screenshots')
const COMPLETE = 'h1[data-status="redeemed"], h1[data-status="counterparty_redeemed"]'

await describeWithBrowser('the swap page', () => {
  let story: Story
  let browser: Browser
  let user: BrowserContext
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    await mkdir(SHOTS, { recursive: true })
    ;[story, browser] = await Promise.all([openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }), startChromium()])
    user = await browser.open()
    page = await visit(user)
  })
  afterAll(async () => {
    await browser?.close()
    await story?.close()
  })

  const origin = () => new URL(story.info.base_url).origin

  async function visit(of: BrowserContext, path = '/'): Promise<Page> {
    const opened = await of.newPage()
    opened.on('console', (message) => {
      if (message.type() === 'error' && /Content.Security|violates/i.test(message.text())) problems.push(message.text())
    })
    opened.on('pageerror', (error) => problems.push(error.message))
    opened.on('request', (request) => {
      const { hostname } = new URL(request.url())
      if (!['127.0.0.1', ''].includes(hostname)) problems.push(`asked ${hostname}`)
    })
    await opened.goto(`${origin()}${path}`)
    return opened
  }

  const shot = (name: string, of: Page = page) => of.screenshot({ path: join(SHOTS, `swap-${name}.png`), fullPage: true })

  /** WCAG A and AA, and the rules of good practice. */
  async function assertAccessible(of: Page = page): Promise<void> {
    // Not by a script tag: the policy of the page forbids it.
    await of.evaluate(axe.source)
    const found = await of.evaluate('axe.run()')
    const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] }
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  }

  const amountOf = (side: 'pay' | 'get', of: Page = page) => of.getByLabel(new RegExp(`You ${side}: amount`))
  const press = (name: string | RegExp, of: Page = page) => of.getByRole('button', { name }).first().click()
  const status = (value: string, of: Page = page) => of.waitForSelector(`h1[data-status="${value}"]`)

  /** A swap that was made by hand: amount, Swap, and the phrase if it is asked for. */
  async function swap(amount: string, of: Page = page): Promise<string> {
    await amountOf('pay', of).fill(amount)
    await of.waitForSelector('[data-test="quote"]')
    await press(/^Swap$/, of)
    const skip = of.getByRole('button', { name: 'Skip: it is play money' })
    const heading = of.locator('h1[data-status]')
    await skip.or(heading).first().waitFor()
    if (await skip.isVisible()) await skip.click()
    await heading.waitFor()
    return new URL(of.url()).searchParams.get('order') ?? ''
  }

  /** In the history of this browser. */
  const lastOrder = async () => String(await page.evaluate("JSON.parse(localStorage.getItem('tandem:web:history'))[0].orderId"))

  const complete = (of: Page = page) => of.waitForSelector(COMPLETE, { timeout: 120_000 })

  test('bitcoin for a token: coins, an amount, a swap', async () => {
    await press('Get play BTC')
    await shot('empty')
    await amountOf('pay').fill('0.01')
    await page.waitForSelector('[data-test="quote"]')
    await shot('quoted')
    await assertAccessible()
    await press(/^BTC Bitcoin Regtest/)
    await page.getByLabel(/Search by name/).fill('ether')
    await shot('assets')
    await assertAccessible()
    await press('Close')
    await press(/^Swap$/)
    await shot('phrase')
    await assertAccessible()
    await press('Skip: it is play money')
    await page.waitForSelector('h1[data-status]')
    await shot('under-way')
    await assertAccessible()
    await complete()
    await shot('complete')
    await assertAccessible()
    // 0.01 bitcoin at a spread of less than a percent, as the recipient's own node says.
    await page.locator('[data-balance="ethereum_localnet:wbtc"]', { hasText: /0\.0099/ }).waitFor()
  })

  test('the token back for bitcoin by a signature; the page is loaded again in the middle', async () => {
    await page.goto(origin())
    await press(/Swap the direction/)
    const orderId = await swap('0.005')
    await page.waitForSelector('h1[data-status]:not([data-status="created"])')
    await page.reload()
    await complete()
    const { source_swap: source } = await story.until(orderId, 'the end', ({ status }) => /redeemed/.test(status))
    // The service sent the initiation: the user only signed.
    expect((await story.signed('service', orderId)).get('initiate source')).toContain(source.initiate_tx_hash)
  })

  test('the solvers stop: time passes, and the user takes the payment back with their own key', async () => {
    await page.goto(origin())
    await page.getByLabel(/Stop the solvers after my next order/).check()
    await swap('0.02')
    await status('initiated')
    await press('Let 200 blocks pass')
    await status('awaiting_refund')
    await shot('refundable')
    await press('Take the payment back')
    await status('refunded')
    await shot('refunded')
    await assertAccessible()
    await press('Start the solvers')
  })

  test('a link shows an order to anybody, who can only watch', async () => {
    const orderId = await lastOrder()
    const stranger = await browser.open({ phone: true, dark: true })
    const watched = await visit(stranger, `/?order=${orderId}`)
    await status('refunded', watched)
    await watched.getByText('You are watching this order.').waitFor()
    expect(await watched.getByRole('button', { name: /refund|payment back/i }).count()).toBe(0)
    await shot('watched-phone-dark', watched)
    await assertAccessible(watched)
    await stranger.close()
  })

  test('a wrong address is told at once, and nothing can be ordered', async () => {
    await page.goto(origin())
    await amountOf('pay').fill('0.01')
    await page.waitForSelector('[data-test="quote"]')
    const field = page.getByLabel(/Your address on Ethereum/)
    await field.fill('0x52908400098527886e0F7030069857D2E4169EE7')
    await page
      .getByText(/checksum/i)
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: 'Enter the address that is paid' }).isDisabled()).toBe(true)
    await shot('wrong-address')
    await assertAccessible()
  })

  test('hostile texts of an order never become markup', async () => {
    const stranger = await browser.open()
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
    await stranger.route('**/v2/orders/*', async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      const { result } = JSON.parse(text)
      const hostile = {
        ...result,
        solver_id: evil,
        status: 'created',
        next_action: { who: 'user', what: 'initiate_source', by: null, why: evil },
        source_swap: { ...result.source_swap, asset: evil, chain: evil, initiate_tx_hash: evil },
      }
      await route.fulfill({ response, json: { status: 'Ok', error: null, result: hostile } })
    })
    const orderId = await lastOrder()
    const watched = await visit(stranger, `/?order=${orderId}`)
    await status('created', watched)
    expect(await watched.getByText(evil).count()).toBeGreaterThan(0)
    expect(await watched.locator('article img, article script').count()).toBe(0)
    expect(await watched.title()).toBe('Tandem · Swap')
    await stranger.close()
  })

  test('the service restarts in the middle, and the page goes on by itself', async () => {
    await page.goto(origin())
    await story.setSolverRunning(false).catch(() => undefined)
    await story.setSolverRunning(true)
    await swap('0.01')
    await story.stack.service.setRunning(false)
    await page.getByText('The service does not answer.').waitFor()
    await shot('away')
    await story.stack.service.setRunning(true)
    await complete()
    expect(await page.getByText('The service does not answer.').count()).toBe(0)
  })

  test('nothing broke the policy, no script failed, nothing outside of this machine was asked', () => {
    expect(problems).toEqual([])
  })
})
