/** The amounts on the pages (paid, received, refunded) are those that addresses really received and spent on the chains. */
import { randomBytes } from 'node:crypto'
import { bech32 } from '@scure/base'
import { formatUnits } from '@tandem/protocol/amount.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { parseUnits } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory } from '../swaps/story.ts'
import { startChromium } from './chromium.ts'
import { flaws, rawTexts, watchedPage } from './page-checks.ts'
import { readQr } from './read-qr.ts'

const WBTC = 'ethereum_localnet:wbtc'
const DECIMALS = 8
const TIMELOCK_BLOCKS = 200

await describeWithBrowser('amounts on the pages', () => {
  const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }))
  const browser = opened(startChromium)
  let user: BrowserContext
  let page: Page
  const problems: string[] = []

  beforeAll(async () => {
    user = await browser.open()
    page = await watchedPage(user, problems)
    await page.goto(origin())
    await press('Get play BTC')
    await press(/Swap the direction/)
    await press('Get play WBTC')
  })

  const origin = () => new URL(story.info.base_url).origin
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click()
  const status = (...values: readonly string[]) => page.waitForSelector(values.map((value) => `h1[data-status="${value}"]`).join(', '))
  const complete = () => status('redeemed', 'counterparty_redeemed')
  const field = (side: 'pay' | 'get') => page.getByLabel(new RegExp(`You ${side}: amount`))
  const units = (text: string) => parseUnits(text, DECIMALS)
  const coins = (amount: bigint, symbol: string) => `${formatUnits(amount, DECIMALS)} ${symbol}`

  const freshBitcoin = () => bech32.encode('bcrt', [0, ...bech32.toWords(randomBytes(20))])
  const freshAccount = () => `0x${randomBytes(20).toString('hex')}`

  /** The total that an address has ever received. */
  async function receivedBitcoin(address: string): Promise<bigint> {
    const response = await fetch(`${story.info.chains.bitcoin_regtest?.esplora_url}/address/${address}`)
    const { chain_stats: mined } = (await response.json()) as { chain_stats: { funded_txo_sum: number } }
    return BigInt(mined.funded_txo_sum)
  }

  async function tokensOf(account: string): Promise<bigint> {
    const call = { to: story.contractsOf(WBTC).token, data: `0x70a08231${account.slice(2).toLowerCase().padStart(64, '0')}` }
    return BigInt(String(await story.evmChain('ethereum_localnet').request({ method: 'eth_call', params: [call, 'latest'] })))
  }

  async function weiOf(account: string): Promise<bigint> {
    return BigInt(String(await story.evmChain('ethereum_localnet').request({ method: 'eth_getBalance', params: [account, 'latest'] })))
  }

  /** The texts of the order on its page and of the newest swap in the list. */
  async function said() {
    const line = async (of: string) => ((await page.locator(of).first().textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
    const steps = await page.locator('.timeline .step-title').allTextContents()
    return {
      exchange: (await line('.exchange')).replace(/ (for|refunded as) /, ' '),
      listed: await line('.past a span'),
      steps: steps.map((step) => step.replace(/, (done|now|later)$/, '')),
      done: await page.locator('.timeline li.done').count(),
    }
  }

  async function look(name: string): Promise<void> {
    expect(await flaws(page, `amounts-${name}`)).toEqual([])
    expect(await rawTexts(page)).toEqual([])
  }

  type Way = 'btc to wbtc' | 'wbtc to btc'

  /** Fills a fresh form with the amount of one side. Resolves to the lines of the quote. */
  async function quote(way: Way, side: 'pay' | 'get', amount: string) {
    await page.goto(origin())
    if (way === 'wbtc to btc') await press(/Swap the direction/)
    await field(side).fill(amount)
    await page.getByRole('button', { name: /^Swap$|^Enter the address|^Enter an address/ }).waitFor()
    const limit = page.locator('[data-test="quote"] div', { hasText: /You get at least|You pay at most/ })
    return {
      pays: units(await field('pay').inputValue()),
      gets: units(await field('get').inputValue()),
      limitName: await limit.locator('dt').textContent(),
      limit: units(((await limit.locator('dd').textContent()) ?? '').split(' ')[0] ?? ''),
      cost: Number(/\$([\d.]+)/.exec((await page.locator('[data-test="quote"]').textContent()) ?? '')?.[1]),
      worth: (await page.locator('.side .worth').allTextContents()).map((text) => Number(text.replaceAll(/[^\d.]/g, ''))),
    }
  }

  async function order(recipient: string): Promise<string> {
    await page.getByLabel(/where you are paid/).fill(recipient)
    await press(/^Swap$/)
    const skip = page.getByRole('button', { name: 'Skip: it is play money' })
    await skip.or(page.locator('h1[data-status]')).first().waitFor()
    if (await skip.isVisible()) await skip.click()
    await page.waitForSelector('h1[data-status]')
    return new URL(page.url()).searchParams.get('order') ?? ''
  }

  const recordOf = (orderId: string) => story.until(orderId, 'its record', () => true)

  /** Makes an order that is paid by hand. Resolves to its deposit address and its refund address. */
  async function orderByHand(amount: string, recipient: string) {
    await quote('btc to wbtc', 'pay', amount)
    await press('Change')
    await press('Any other wallet or an exchange, by a deposit address')
    const refundTo = freshBitcoin()
    await page.getByLabel(/for a refund/).fill(refundTo)
    const orderId = await order(recipient)
    await status('created')
    return { orderId, refundTo, address: (await page.locator('[data-test="deposit-address"]').textContent()) ?? '' }
  }

  async function takeBack(): Promise<void> {
    await story.bitcoin().mine(TIMELOCK_BLOCKS)
    await status('awaiting_refund')
    await press('Take the payment back')
    await status('refunded')
  }

  test('a Bitcoin payout that is paid for by a signature: what arrives is net of the network fee', async () => {
    const recipient = freshBitcoin()
    const offer = await quote('wbtc to btc', 'pay', '0.005')
    expect([offer.pays, offer.limitName]).toEqual([500_000n, 'You get at least'])
    const [paidUsd = 0, gotUsd = 0] = offer.worth
    expect(offer.cost).toBeCloseTo(paidUsd - gotUsd, 1)
    await look('quote-exact-in')
    const payer = await recordedPayer()
    const before = await tokensOf(payer)
    await page.getByLabel(/Stop the solvers after my next order/).check()
    const orderId = await order(recipient)
    await status('initiated')
    const expected = coins(offer.gets, 'BTC')
    const waiting = await said()
    expect(waiting.steps[3]).toBe(`You are paid about ${expected} on Bitcoin Regtest, after the network fee`)
    expect([waiting.exchange, waiting.listed]).toEqual(Array(2).fill(`0.005 WBTC → about ${expected}`))
    await look('bitcoin-payout-waiting')
    await press('Start the solvers')
    await complete()
    const received = await receivedBitcoin(recipient)
    expect(received).toBeGreaterThanOrEqual(offer.limit)
    expect(received).toBeLessThan(BigInt((await recordOf(orderId)).destination_swap.amount))
    expect(before - (await tokensOf(payer))).toBe(500_000n)
    const ended = await said()
    expect([ended.exchange, ended.listed]).toEqual(Array(2).fill(`0.005 WBTC → ${coins(received, 'BTC')}`))
    expect([ended.steps[0], ended.steps[3]]).toEqual([
      'You paid 0.005 WBTC on Ethereum Localnet',
      `You were paid ${coins(received, 'BTC')} on Bitcoin Regtest`,
    ])
    await look('bitcoin-payout')
    expect((await story.signed('service', orderId)).has('initiate source')).toBe(true)
  })

  /** The account of the play wallet. */
  const recordedPayer = async () => {
    const filled = page.getByLabel(/where you are paid/)
    await press(/Swap the direction/)
    await expect.poll(() => filled.inputValue()).toMatch(/^0x/)
    const account = await filled.inputValue()
    await press(/Swap the direction/)
    await page.getByRole('button', { name: /^Swap$/ }).waitFor()
    return account
  }

  test('a user who fixes what they get on Bitcoin gets that after the network fee', async () => {
    const recipient = freshBitcoin()
    const offer = await quote('wbtc to btc', 'get', '0.004')
    expect(offer.limitName).toBe('You pay at most')
    await order(recipient)
    await complete()
    const received = await receivedBitcoin(recipient)
    expect(received).toBeGreaterThanOrEqual(400_000n)
    expect((await said()).exchange).toMatch(new RegExp(` WBTC → ${coins(received, 'BTC')}$`))
  })

  test('a token payout of a fixed amount: the page shows the maximum and what is paid', async () => {
    const recipient = freshAccount()
    const offer = await quote('btc to wbtc', 'get', '0.01')
    expect([offer.gets, offer.limitName]).toEqual([1_000_000n, 'You pay at most'])
    expect(offer.limit).toBeGreaterThan(offer.pays)
    await look('quote-exact-out')
    const orderId = await order(recipient)
    await complete()
    const paid = await receivedBitcoin((await recordOf(orderId)).source_swap.swap_id)
    expect(paid).toBeLessThanOrEqual(offer.limit)
    expect(await tokensOf(recipient)).toBe(1_000_000n)
    const { exchange, listed, steps } = await said()
    expect([exchange, listed]).toEqual(Array(2).fill(`${coins(paid, 'BTC')} → 0.01 WBTC`))
    expect([steps[0], steps[3]]).toEqual([
      `You paid ${coins(paid, 'BTC')} on Bitcoin Regtest`,
      'You were paid 0.01 WBTC on Ethereum Localnet',
    ])
  })

  test('a token payout with coin to pay for fees: the page says how much and what it costs, and a new account gets it', async () => {
    const recipient = freshAccount()
    const plain = await quote('btc to wbtc', 'pay', '0.01')
    await page.getByLabel(/^Also get [\d.]+ ETH to pay for fees on Ethereum Localnet/).check()
    const line = page.locator('[data-test="quote"] div', { hasText: 'You also get' })
    const given = parseUnits(((await line.locator('dd').textContent()) ?? '').split(' ')[0] ?? '', 18)
    await look('quote-with-gas')
    const orderId = await order(recipient)
    await complete()
    const { destination_swap: paid } = await recordOf(orderId)
    expect(paid.gas).toBe(given.toString())
    expect(await weiOf(recipient)).toBe(given)
    const received = await tokensOf(recipient)
    expect(received).toBe(BigInt(paid.amount))
    expect(received).toBeLessThan(plain.gets)
    await look('payout-with-gas')
  })

  test('an underpaid deposit: the rest with address and QR code, then what came back', async () => {
    const { address, refundTo } = await orderByHand('0.02', freshAccount())
    await story.bitcoin().pay(address, 1_500_000n)
    await page.getByRole('heading', { name: 'Waiting for the rest of your payment' }).waitFor()
    const short = await said()
    expect([short.steps[0], short.done]).toEqual(['You paid 0.015 BTC of 0.02 BTC on Bitcoin Regtest', 0])
    expect(await page.locator('.deposit .figure').textContent()).toBe('0.005 BTC')
    expect(await page.locator('[data-test="deposit-address"]').textContent()).toBe(address)
    const qr = page.locator('svg.qr')
    const size = async () => Number((await qr.getAttribute('viewBox'))?.split(' ')[2])
    const read = async () => readQr((await qr.locator('path').getAttribute('d')) ?? '', await size())
    await expect.poll(read).toBe(`bitcoin:${address}?amount=0.005`)
    await look('underpaid')
    await story.bitcoin().mine(TIMELOCK_BLOCKS)
    await status('awaiting_refund')
    expect((await said()).steps.at(-1)).toBe('0.015 BTC come back to you on Bitcoin Regtest, less the network fee')
    expect(await page.locator('.deposit').count()).toBe(0)
    await look('underpaid-refundable')
    await press('Take the payment back')
    await status('refunded')
    const back = await receivedBitcoin(refundTo)
    expect(back).toBeLessThan(1_500_000n)
    const { exchange, listed, steps } = await said()
    expect([exchange, listed]).toEqual(Array(2).fill(`0.015 BTC → ${coins(back, 'BTC')}`))
    expect([steps[0], steps.at(-1)]).toEqual([
      'You paid 0.015 BTC of 0.02 BTC on Bitcoin Regtest',
      `${coins(back, 'BTC')} came back to you on Bitcoin Regtest`,
    ])
    await look('underpaid-refunded')
  })

  test('two deposits of a little more than the order: all of it counts, and is paid for', async () => {
    const recipient = freshAccount()
    const { address, orderId } = await orderByHand('0.02', recipient)
    await story.bitcoin().pay(address, 1_200_000n)
    await page.locator('.deposit .figure', { hasText: /^0\.008 BTC$/ }).waitFor()
    await story.bitcoin().pay(address, 830_000n)
    await complete()
    expect(await receivedBitcoin(address)).toBe(2_030_000n)
    const received = await tokensOf(recipient)
    expect(received).toBe(BigInt((await recordOf(orderId)).destination_swap.amount))
    const { exchange, listed, steps } = await said()
    expect([exchange, listed]).toEqual(Array(2).fill(`0.0203 BTC → ${coins(received, 'WBTC')}`))
    expect([steps[0], steps[3]]).toEqual([
      'You paid 0.0203 BTC instead of 0.02 BTC on Bitcoin Regtest',
      `You were paid ${coins(received, 'WBTC')} on Ethereum Localnet`,
    ])
    await look('overpaid')
  })

  test('a full refund, after the timelock', async () => {
    const { address, refundTo, orderId } = await orderByHand('0.01', freshAccount())
    await story.haltSolver('for a refund')
    await story.bitcoin().pay(address, 1_000_000n)
    await status('initiated')
    await takeBack()
    await story.resumeSolver()
    const back = coins(await receivedBitcoin(refundTo), 'BTC')
    const { exchange, listed, steps } = await said()
    expect([exchange, listed, steps.at(-1)]).toEqual([
      `0.01 BTC → ${back}`,
      `0.01 BTC → ${back}`,
      `${back} came back to you on Bitcoin Regtest`,
    ])
    await expectOperatorSays(orderId, '0.01 BTC', back)
  })

  test('an instant refund of a part', async () => {
    const { address, orderId } = await orderByHand('0.01', freshAccount())
    await story.bitcoin().pay(address, 600_000n)
    await story.until(orderId, 'the deposit in a block', ({ source_swap: source }) => source.current_confirmations > 0)
    await press('Cancel and refund now')
    await status('refunded')
    const { source_swap: source } = await recordOf(orderId)
    const back = coins(await paidBy(source.refund_tx_hash), 'BTC')
    const { exchange, listed, steps } = await said()
    expect([exchange, listed, steps.at(-1)]).toEqual([
      `0.006 BTC → ${back}`,
      `0.006 BTC → ${back}`,
      `${back} came back to you on Bitcoin Regtest`,
    ])
    await page.getByText('It is at an address of your rescue phrase.').waitFor()
    await look('instantly-refunded')
  })

  /** The sum of all outputs: the only input is the deposit. */
  async function paidBy(txid: string): Promise<bigint> {
    const response = await fetch(`${story.info.chains.bitcoin_regtest?.esplora_url}/tx/${txid}`)
    const { vin, vout } = (await response.json()) as { vin: readonly unknown[]; vout: readonly { value: number }[] }
    expect(vin).toHaveLength(1)
    return vout.reduce((sum, { value }) => sum + BigInt(value), 0n)
  }

  async function expectOperatorSays(orderId: string, paid: string, back: string): Promise<void> {
    const operator = await watchedPage(await browser.open(), problems)
    await operator.goto(story.stack.info.operator_url)
    await operator.getByRole('heading', { name: 'Orders in progress' }).waitFor()
    await operator.goto(`${origin()}/operator#/orders/${orderId}`)
    const exchange = operator.locator('.exchange')
    await expect.poll(async () => (await exchange.textContent())?.replaceAll(/\s+/g, ' ')).toBe(`${paid} → for ${back}`)
    await operator.getByText(`refunded, paid ${back} in`).waitFor()
    expect(await flaws(operator, 'amounts-operator')).toEqual([])
    await operator.close()
  }

  test('no script failed, nothing outside of this machine was requested', () => {
    expect(problems).toEqual([])
  })
})
