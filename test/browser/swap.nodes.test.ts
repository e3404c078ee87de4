/** People swap by clicking: the swap page in a real Chromium, against a whole local stack. */

import { formatUnits } from '@tandem/protocol/amount.ts'
import type { Quote } from '@tandem/protocol/wire/quote.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { encodeFunctionData, erc20Abi } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory } from '../swaps/story.ts'
import { startChromium } from './chromium.ts'
import { flaws, rawTexts, watchedPage } from './page-checks.ts'
import { readQr } from './read-qr.ts'

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'
const COMPLETE = 'h1[data-status="redeemed"], h1[data-status="counterparty_redeemed"]'

await describeWithBrowser('the swap page', () => {
  const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }))
  const browser = opened(startChromium)
  let user: BrowserContext
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    user = await browser.open()
    page = await visit(user)
  })

  const origin = () => new URL(story.info.base_url).origin

  async function visit(of: BrowserContext, path = '/'): Promise<Page> {
    const opened = await watchedPage(of, problems)
    await opened.goto(`${origin()}${path}`)
    return opened
  }

  async function assertSound(name: string, of: Page = page): Promise<void> {
    expect(await flaws(of, `swap-${name}`)).toEqual([])
    expect(await rawTexts(of)).toEqual([])
  }

  const amountOf = (side: 'pay' | 'get', of: Page = page) => of.getByLabel(new RegExp(`You ${side}: amount`))
  const press = (name: string | RegExp, of: Page = page) => of.getByRole('button', { name }).first().click()
  const status = (value: string, of: Page = page) => of.waitForSelector(`h1[data-status="${value}"]`)

  /** Makes a swap as a user: amount, Swap, and the phrase if the page asks for it. */
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

  /** Reads the history of this browser. */
  const lastOrder = async () => String(await page.evaluate("JSON.parse(localStorage.getItem('tandem:web:history'))[0].orderId"))

  const complete = (of: Page = page) => of.waitForSelector(COMPLETE, { timeout: 120_000 })

  test('bitcoin for a token: coins, an amount, a swap', async () => {
    await press('Get play BTC')
    await assertSound('empty')
    await amountOf('pay').fill('0.01')
    await page.waitForSelector('[data-test="quote"]')
    await assertSound('quoted')
    await press(/^BTC Bitcoin Regtest/)
    await page.getByLabel(/Search by name/).fill('ether')
    await assertSound('assets')
    await press('Close')
    await press(/^Swap$/)
    await assertSound('phrase')
    await press('Skip: it is play money')
    await page.waitForSelector('h1[data-status]')
    await assertSound('under-way')
    await complete()
    await assertSound('complete')
    // The recipient's own node shows 0.01 bitcoin less a spread of under one percent.
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
    await assertSound('refundable')
    await press('Take the payment back')
    await status('refunded')
    await assertSound('refunded')
    await press('Start the solvers')
  })

  test('a link shows an order to anybody, who can only watch', async () => {
    const orderId = await lastOrder()
    const stranger = await browser.open({ phone: true, dark: true })
    await stranger.route('**/v2/chains*', async (route) => {
      const response = await route.fetch()
      const { result, ...envelope } = (await response.json()) as { result: readonly object[] }
      const shown = result.map((chain) => ({ ...chain, explorer_tx_url: 'https://explorer.example/#/transaction/{tx}' }))
      await route.fulfill({ response, json: { ...envelope, result: shown } })
    })
    const watched = await visit(stranger, `/?order=${orderId}`)
    await status('refunded', watched)
    const { source_swap: source } = await story.untilStatus(orderId, 'refunded')
    const links = watched.getByRole('link', { name: 'See the transaction in the explorer' })
    // The list of chains may be loaded after the order.
    await expect.poll(() => links.count()).toBe(2)
    const [paid, refunded] = await Promise.all((await links.all()).map((link) => link.getAttribute('href')))
    expect(paid).toBe(`https://explorer.example/#/transaction/${source.initiate_tx_hash.split(':')[0]}`)
    expect(refunded).toBe(`https://explorer.example/#/transaction/${source.refund_tx_hash.split(':')[0]}`)
    await watched.getByText('You are watching this order.').waitFor()
    expect(await watched.getByRole('button', { name: /refund|payment back/i }).count()).toBe(0)
    // A browser that only watches has no phrase, no key and no history.
    expect(await watched.evaluate('Object.keys(localStorage)')).toEqual([])
    await assertSound('watched', watched)
    await stranger.close()
  })

  test('a wrong address is reported at once, and nothing can be ordered', async () => {
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
    await assertSound('wrong-address')
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

  test('the service restarts in the middle, and the page continues by itself', async () => {
    await page.goto(origin())
    await story.setSolverRunning(false).catch(() => undefined)
    await story.setSolverRunning(true)
    await swap('0.01')
    await story.stack.service.setRunning(false)
    await page.getByText('The service does not answer.').waitFor()
    await assertSound('away')
    await story.stack.service.setRunning(true)
    await complete()
    expect(await page.getByText('The service does not answer.').count()).toBe(0)
  })

  /** Changes the answers with quotes; null means no answer. The newest route counts: without any, a price of the service could come between two of them. */
  async function changeQuotes(change: (quote: Quote) => Quote | null): Promise<void> {
    await page.route('**/v2/quote?*', async (route) => {
      const response = await route.fetch()
      const { result, ...envelope } = (await response.json()) as { result: readonly Quote[] }
      const changed = result.map(change)
      if (changed.includes(null)) await route.abort()
      else await route.fulfill({ response, json: { ...envelope, result: changed } })
    })
  }
  const priced = (quote: Quote, percent: bigint): Quote => {
    const amount = (BigInt(quote.destination.amount) * percent) / 100n
    return { ...quote, destination: { ...quote.destination, amount: amount.toString(), display: formatUnits(amount, 8) } }
  }
  const expiring = (quote: Quote): Quote => ({ ...quote, expires_at: Math.floor(Date.now() / 1000) + 5 })

  test('an expired price is renewed, and a new one is announced before it can be taken', async () => {
    await page.goto(origin())
    await changeQuotes(expiring)
    await amountOf('pay').fill('0.01')
    await page.getByRole('button', { name: /^Swap$/ }).waitFor()
    const before = await amountOf('get').inputValue()
    await changeQuotes(() => null)
    await page.getByText('expired, requesting a new one').waitFor()
    // On a busy machine the request may have failed before the page is looked at.
    await page.getByRole('button', { name: /Getting a price|No price at the moment/, disabled: true }).waitFor()
    await assertSound('expired')
    await page.getByText('The service does not answer.').waitFor()
    expect(await page.getByRole('button', { name: 'No price at the moment' }).isDisabled()).toBe(true)
    await changeQuotes((quote) => priced(quote, 99n))
    await page.getByText(`New price. Before, you would have got ${before} WBTC.`).waitFor()
    expect(Number(await amountOf('get').inputValue())).toBeLessThan(Number(before))
    await assertSound('new-price')
  })

  test('a price that was better than the service keeps is not taken: nothing is ordered', async () => {
    await changeQuotes((quote) => priced(quote, 103n))
    await amountOf('pay').fill('0.011')
    await page.getByRole('button', { name: 'Getting a price' }).waitFor()
    await page.getByRole('button', { name: /^Swap$/ }).waitFor()
    const before = await lastOrder()
    await page.unroute('**/v2/quote?*')
    await press(/^Swap$/)
    const skip = page.getByRole('button', { name: 'Skip: it is play money' })
    await skip.click()
    await page.getByText('The price has moved').waitFor()
    expect([await lastOrder(), new URL(page.url()).search]).toEqual([before, ''])
    await page.getByText('New price. Before, you would have got').waitFor()
    await assertSound('price-moved')
  })

  test('offline: the page says so, keeps the input, and continues by itself', async () => {
    await page.goto(origin())
    await amountOf('pay').fill('0.013')
    await page.waitForSelector('[data-test="quote"]')
    await user.setOffline(true)
    await page.getByText('This browser is offline.').waitFor()
    await assertSound('offline')
    await user.setOffline(false)
    await page.getByText('This browser is offline.').waitFor({ state: 'detached' })
    expect(await amountOf('pay').inputValue()).toBe('0.013')

    await page.getByLabel(/Stop the solvers after my next order/).check()
    const orderId = await swap('0.013')
    await status('initiated')
    await user.setOffline(true)
    await page.getByText('This browser is offline.').waitFor()
    await story.setSolverRunning(true)
    await story.untilStatus(orderId, 'counterparty_initiated')
    await status('initiated')
    await user.setOffline(false)
    await complete()
    expect(await page.getByText('This browser is offline.').count()).toBe(0)
  })

  test('the service takes the secret and pays nothing: the wallet of the user does', async () => {
    await page.goto(origin())
    await page.route('**/v2/orders/*?action=redeem*', (route) =>
      route.fulfill({ json: { status: 'Ok', error: null, result: `0x${'ab'.repeat(32)}` } }),
    )
    await swap('0.012')
    await page.getByText('The service has your secret but has not paid you.').waitFor()
    await assertSound('unredeemed')
    await press('Take my money with my wallet')
    await complete()
    expect(await page.getByText('The service has your secret').count()).toBe(0)
    await page.unroute('**/v2/orders/*?action=redeem*')
  })

  test('a chain on which the play wallet cannot pay: the page says what to do', async () => {
    await page.route('**/web.json', async (route) => {
      const response = await route.fetch()
      const { result, ...envelope } = await response.json()
      await route.fulfill({ response, json: { ...envelope, result: { ...result, nodes: {} } } })
    })
    await page.goto(origin())
    await press(/Swap the direction/)
    await page.getByText('The play wallet cannot pay on Ethereum Localnet').waitFor()
    await amountOf('pay').fill('0.01')
    await press('Choose a wallet')
    await page.getByText('No wallet for this chain was found').waitFor()
    await assertSound('no-wallet')
    await page.unroute('**/web.json')
  })

  test('a token is paid from an exchange: in two parts, to an address with a QR code', async () => {
    page = await visit(await browser.open())
    await press(/Swap the direction/)
    await press('Change')
    await press('Any other wallet or an exchange, by a deposit address')
    await page.getByLabel(/Your own address on Ethereum.*not one of an exchange/i).fill(story.ownerOf(WBTC))
    await page.getByLabel(/Your address on Bitcoin/).fill(story.ownerOf(BTC))
    await assertSound('from-exchange')
    const orderId = await swap('0.01')
    await status('created')
    const address = (await page.locator('[data-test="deposit-address"]').textContent()) ?? ''
    const qr = page.locator('svg.qr')
    await qr.locator('path[d^="M"]').waitFor()
    const size = Number((await qr.getAttribute('viewBox'))?.split(' ')[2])
    expect(readQr((await qr.locator('path').getAttribute('d')) ?? '', size)).toBe(address)
    expect(await page.locator('.deposit').textContent()).toContain('on Ethereum Localnet, to this address')
    expect(await page.locator('[data-test="deposit-only"]').textContent()).toMatch(/^Send only WBTC, and only on Ethereum Localnet\./)
    await assertSound('deposit-of-token')

    const { token } = story.contractsOf(WBTC)
    const transfer = (amount: bigint) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [address as `0x${string}`, amount] })
      return story.evm('ethereum_localnet').send({ chain_id: 31337, to: token, data, value: '0x0', gas_limit: '0x186a0' })
    }
    await transfer(400_000n)
    await page.getByText('0.004 WBTC of 0.01 WBTC has arrived.').waitFor()
    expect(await page.locator('.deposit .figure').textContent()).toMatch(/0\.006/)
    await assertSound('part-of-token')
    await transfer(600_000n)
    await complete()
    expect(await page.locator('.deposit').count()).toBe(0)
    expect((await story.until(orderId, 'the end', ({ status: now }) => /redeemed/.test(now))).source_swap.filled_amount).toBe('1000000')
  })

  let phrase: readonly string[] = []

  test('a deposit by hand: the phrase is written down and compared, the QR code and the copies are exact', async () => {
    const stranger = await browser.open({ dark: true })
    page = await visit(stranger)
    await press('Change')
    await assertSound('wallets')
    await press('Any other wallet or an exchange, by a deposit address')
    await page.getByLabel(/Stop the solvers after my next order/).check()
    await page.getByLabel(/Your address on Ethereum/).fill(story.ownerOf(WBTC))
    await page.getByLabel(/Your address on Bitcoin/).fill(story.ownerOf(BTC))
    await amountOf('pay').fill('0.01')
    await press(/^Swap$/)
    await page.waitForSelector('.words li')
    phrase = await page.locator('.words li').allTextContents()
    expect(phrase).toHaveLength(12)
    await assertSound('phrase-words')

    await press('I have written them down')
    const asked = page.getByLabel(/^Word \d+$/)
    const labels = await page.locator('label', { hasText: /^Word \d+$/ }).allTextContents()
    const words = labels.map((label) => phrase[Number(label.split(' ')[1]) - 1] ?? '')
    expect(words).toHaveLength(2)
    await asked.nth(0).fill(words[0] ?? '')
    await asked.nth(1).fill(`${words[1]}x`)
    await press('Compare')
    await page.getByText('That is not the word.').waitFor()
    await assertSound('phrase-wrong')
    await asked.nth(1).fill(words[1] ?? '')
    await press('Compare')

    await status('created')
    const address = (await page.locator('[data-test="deposit-address"]').textContent()) ?? ''
    const qr = page.locator('svg.qr')
    await qr.locator('path[d^="M"]').waitFor()
    const size = Number((await qr.getAttribute('viewBox'))?.split(' ')[2])
    expect(readQr((await qr.locator('path').getAttribute('d')) ?? '', size)).toBe(`bitcoin:${address}?amount=0.01000000`)
    const copied = async (name: string) => {
      await press(name)
      return page.evaluate('navigator.clipboard.readText()')
    }
    expect([await copied('Copy the address'), await copied('Copy the amount')]).toEqual([address, '0.01'])
    await assertSound('deposit')

    await story.bitcoin().pay(address, 1_000_000n)
    await status('initiated')
    expect(await page.locator('.timeline li.done').count()).toBe(2)
    await page.getByText(/If nothing happens, you can take it back in .*, at .* at the latest/).waitFor()
    await assertSound('waiting')
  })

  test('its storage is wiped in the middle: the phrase alone finishes the swap', async () => {
    const before = await story.balance(WBTC)
    await page.evaluate('localStorage.clear()')
    await page.goto(`${origin()}/rescue`)
    await page.fill('#phrase', phrase.join(' '))
    await press('Find my swaps')
    await page.getByLabel('Your address on Bitcoin Regtest').fill(story.ownerOf(BTC))
    await page.getByLabel('Your address on Ethereum Localnet').fill(story.ownerOf(WBTC))
    await press('Check again')
    await page.getByLabel('The minimum WBTC that you agreed to get').fill('0.0098')
    await story.setSolverRunning(true)
    await press('Continue')
    await page.getByText('This swap has ended.').waitFor({ timeout: 120_000 })
    expect(await story.balance(WBTC)).toBeGreaterThanOrEqual(before + 980_000n)
  })

  test('nothing broke the policy, no script failed, nothing outside of this machine was requested', () => {
    expect(problems).toEqual([])
  })
})
