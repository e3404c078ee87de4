/** The rescue page in a real Chromium: after the storage is lost, and from a saved copy with the service gone. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { createTandem, newRescueKeys, payingWallet, type SwapRequest, type Tandem, type Wallet } from '@tandem/sdk'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryStorage } from '../../packages/sdk/src/swap/storage.ts'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory } from '../swaps/story.ts'
import { evmWalletOf } from '../swaps/swap-by-sdk.ts'
import { announceWallet } from './announced-wallet.ts'
import { startChromium } from './chromium.ts'
import { flaws, rawTexts, watchedPage } from './page-checks.ts'

const BTC = 'bitcoin_regtest:btc'
const WBTC = 'ethereum_localnet:wbtc'
const ETHEREUM = 'ethereum_localnet'
const USDC = 'ethereum_localnet:usdc'
const ETH = 'ethereum_localnet:eth'

await describeWithBrowser('the rescue page', () => {
  const story = opened(() => openStory({ chains: ['bitcoin_regtest', 'ethereum_localnet'] }))
  const browser = opened(startChromium)
  let user: BrowserContext
  let folder: string
  let payoutPhrase: string
  /** What the user keeps of an order with a deposit address, and its SDK. */
  let deposit: { readonly kept: Readonly<Record<string, unknown>>; readonly tandem: Tandem }
  const problems: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tandem-rescue-'))
    user = await browser.open()
    await announceWallet(user, story)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** A user of the SDK pays and then leaves. */
  async function payAndLeave(
    request: SwapRequest,
    wallet: Wallet,
    beforePaying: () => Promise<unknown> = async () => undefined,
  ): Promise<{ phrase: string; tandem: Tandem; orderId: string }> {
    const { info } = story
    const storage = memoryStorage()
    const { phrase, keys } = await newRescueKeys(storage)
    const tandem = createTandem({
      baseUrl: info.base_url,
      appId: info.app_id,
      deployments: Object.assign({}, ...Object.values(info.chains).map(({ assets }) => assets)),
      nodes: {
        bitcoin_regtest: String(info.chains.bitcoin_regtest?.esplora_url),
        ethereum_localnet: String(info.chains.ethereum_localnet?.rpc_url),
      },
      storage,
      keys,
    })
    for await (const step of tandem.swap(request, wallet)) {
      if (step.kind === 'ordered') await beforePaying()
      if (step.kind === 'paid') return { phrase, tandem, orderId: step.orderId }
    }
    throw new Error('nothing was paid')
  }

  async function visit(url: string): Promise<Page> {
    const page = await watchedPage(user, problems)
    await page.goto(url)
    await page.waitForSelector('#phrase')
    return page
  }
  async function assertSound(name: string, page: Page): Promise<void> {
    expect(await flaws(page, name)).toEqual([])
    expect(await rawTexts(page)).toEqual([])
  }
  const copyUrl = () => pathToFileURL(join(folder, 'tandem-rescue.html')).href
  const rescueUrl = () => new URL('/rescue', story.info.base_url).href
  const find = async (page: Page, phrase: string) => {
    await page.fill('#phrase', phrase)
    await page.getByRole('button', { name: 'Find my swaps' }).click()
  }

  test('a wrong phrase is refused by the word that is wrong', async () => {
    const page = await visit(rescueUrl())
    await assertSound('rescue-empty', page)
    await find(page, 'abandon abandon')
    await page.getByText('a rescue phrase has 12 words, this one has 2').waitFor()
    await find(page, `${'abandon '.repeat(11)}abuot`)
    await page.getByText(/^Word 12 of the rescue phrase, "abuot", is not in the list.*about/).waitFor()
    await assertSound('rescue-wrong-word', page)
    await find(page, 'abandon '.repeat(12))
    await page.getByText('the checksum of the rescue phrase is wrong').waitFor()
    await find(page, `${'abandon '.repeat(11)}about`)
    await page.getByText('The service knows no swap of this phrase').waitFor()
    await page.close()
  })

  test('the storage is lost: the phrase finds the swap, and finishes it', async () => {
    const request = { from: WBTC, to: BTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(BTC) }
    const { phrase } = await payAndLeave(request, evmWalletOf(story, ETHEREUM))
    const before = await story.balance(BTC)

    const page = await visit(rescueUrl())
    await find(page, phrase)
    await page.getByText('Enter your addresses above first').waitFor()
    await page.getByRole('heading', { name: /^0\.01 WBTC .* BTC$/ }).waitFor()
    await page.getByLabel('Your address on Bitcoin Regtest').fill(story.ownerOf(BTC))
    await page.getByRole('button', { name: 'From Test Wallet' }).click()
    await expect
      .poll(async () => (await page.getByLabel('Your address on Ethereum Localnet').inputValue()).toLowerCase())
      .toBe(story.ownerOf(WBTC))
    await assertSound('rescue-addresses', page)
    await page.getByRole('button', { name: 'Check again' }).click()
    const minimum = page.getByLabel('The minimum BTC that you agreed to get')
    await minimum.waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('First enter the minimum that you agreed to get').waitFor()
    await minimum.fill('0.009')
    await assertSound('rescue-found', page)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('This swap has ended.').waitFor({ timeout: 120_000 })
    await page.getByText('Complete', { exact: true }).waitFor()
    expect(await page.textContent('main')).not.toMatch(/redeem_detected|counterparty_|bitcoin_regtest|ethereum_localnet/)
    await assertSound('rescue-finished', page)
    expect(await story.balance(BTC)).toBeGreaterThan(before + 900_000n)
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(phrase.split(' ')[0])
    await page.close()
  })

  test('the service is gone: the saved copy refunds a deposit that came twice, by the file and an Esplora', async () => {
    const wallet = payingWallet({ address: story.ownerOf(BTC), pay: (to) => story.bitcoin().pay(to, 20_000n) })
    const request = { from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(WBTC) }
    const { phrase, tandem, orderId } = await payAndLeave(request, wallet)
    const { source_swap: source } = await tandem.client.order(orderId)
    await story.bitcoin().pay(source.swap_id, 30_000n)
    await writeFile(join(folder, 'rescue.json'), await tandem.exportFile())
    await story.until(orderId, 'both deposits in blocks', (order) => order.source_swap.deposits?.length === 2)

    const served = await visit(rescueUrl())
    const downloading = served.waitForEvent('download')
    await served.getByRole('button', { name: 'Keep this page' }).click()
    const copy = join(folder, 'tandem-rescue.html')
    await (await downloading).saveAs(copy)
    await served.close()
    await story.stack.service.setRunning(false)
    story.bitcoinChain().mine(Number(source.timelock))
    const before = await story.balance(BTC)

    const page = await visit(copyUrl())
    await assertSound('rescue-copy', page)
    await page.setInputFiles('#file', join(folder, 'rescue.json'))
    await find(page, 'abandon '.repeat(11).concat('about'))
    await page.getByText('the rescue file is of another phrase, or damaged').waitFor()
    await page.fill('#nodes', `bitcoin_regtest ${story.info.chains.bitcoin_regtest?.esplora_url}`)
    await find(page, phrase)
    await page.getByText('The service could not be reached').waitFor()
    await page.getByText('The timelock has ended: possible now.').waitFor()
    await page.getByRole('button', { name: 'Take the payment back' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: 'Your refund is on its way to you:' })
      .getByText(/^[0-9a-f]{64}$/)
      .waitFor()
    await assertSound('rescue-copy-refunded', page)
    await story.eventually('the refund of both deposits', async () => {
      story.bitcoinChain().mine(1)
      return (await story.balance(BTC)) > before + 40_000n
    })
    await page.close()
  })

  test('the service is gone and there is no file: the phrase and an Esplora find the deposit', async () => {
    await story.stack.service.setRunning(true)
    const wallet = payingWallet({ address: story.ownerOf(BTC), pay: (to) => story.bitcoin().pay(to, 20_000n) })
    const request = { from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(WBTC) }
    const { phrase, tandem, orderId } = await payAndLeave(request, wallet)
    const { source_swap: source } = await tandem.client.order(orderId)
    await story.until(orderId, 'its deposit in a block', (order) => order.source_swap.deposits?.length === 1)
    await story.stack.service.setRunning(false)
    story.bitcoinChain().mine(Number(source.timelock))

    const page = await visit(copyUrl())
    await find(page, phrase)
    await page.getByText('Without the service the swaps are found').waitFor()
    // The copy knows the keys of the solvers, so only the phrase is typed.
    expect(await page.content()).toContain(source.redeemer)
    await page.getByRole('button', { name: 'Search the chains' }).click()
    await page.getByText('Your deposit of 0.0002 BTC on Bitcoin Regtest').waitFor()
    await page.getByLabel('Your address on Bitcoin Regtest').fill(story.ownerOf(BTC))
    const before = await story.balance(BTC)
    await page.getByRole('button', { name: 'Take the payment back' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: 'It is on its way to your address:' })
      .getByText(/^[0-9a-f]{64}$/)
      .waitFor()
    await assertSound('rescue-copy-by-chain', page)
    await story.eventually('the refund', async () => {
      story.bitcoinChain().mine(1)
      return (await story.balance(BTC)) > before + 10_000n
    })
    await page.close()
  })

  test('the service is gone: the payout on a chain with accounts, by the file and a wallet of the browser', async () => {
    await story.stack.service.setRunning(true)
    const wallet = payingWallet({ address: story.ownerOf(BTC), pay: (to, amount) => story.bitcoin().pay(to, amount) })
    const request = { from: BTC, to: WBTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(WBTC) }
    const { phrase, tandem, orderId } = await payAndLeave(request, wallet)
    payoutPhrase = phrase
    await writeFile(join(folder, 'payout.json'), await tandem.exportFile())
    await story.untilStatus(orderId, 'counterparty_initiated')
    await story.stack.service.setRunning(false)
    const before = await story.balance(WBTC)

    const alone = await visit(copyUrl())
    await find(alone, phrase)
    await alone.getByRole('button', { name: 'Search the chains' }).click()
    await alone.getByRole('heading', { name: /^A payment of 0\.0\d+ WBTC on Ethereum Localnet$/ }).waitFor()
    const takeIt = alone.getByRole('button', { name: 'Take the payout myself' })
    await takeIt.click()
    await alone.getByText('First enter the minimum that you agreed to get').waitFor()
    await alone.getByLabel('The minimum WBTC that you agreed to get').fill('0.5')
    await takeIt.click()
    await alone.getByText('Enter your own address first').waitFor()
    await alone.getByRole('button', { name: 'From Test Wallet' }).click()
    await expect
      .poll(async () => (await alone.getByLabel('Your address on Ethereum Localnet').inputValue()).toLowerCase())
      .toBe(story.ownerOf(WBTC))
    await takeIt.click()
    await alone.getByText(/^It is only 0\.0\d+ WBTC: nothing was shown\.$/).waitFor()
    await assertSound('rescue-copy-found-payout', alone)
    await alone.close()

    const page = await visit(copyUrl())
    await page.setInputFiles('#file', join(folder, 'payout.json'))
    await find(page, phrase)
    await page.getByLabel('Wallet that sends on Ethereum Localnet').waitFor()
    await page.getByText(/^Possible in at most \d/).waitFor()
    await assertSound('rescue-copy-payout', page)
    await page.getByRole('button', { name: 'Take the payout myself' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: 'Your money is on its way to you:' })
      .getByText(/^0x[0-9a-f]{64}$/)
      .waitFor()
    await story.eventually('the payout', async () => (await story.balance(WBTC)) >= before + 900_000n)
    await page.close()
  })

  test('the service is gone: what lies at a deposit address comes back by the file and a wallet of the browser', async () => {
    await story.stack.service.setRunning(true)
    const part = 400_000n
    const wallet = payingWallet({ address: story.ownerOf(WBTC), pay: (to) => story.stack.network.fund(WBTC, to, part) })
    const request = { from: WBTC, to: BTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(BTC) }
    const { phrase, tandem, orderId } = await payAndLeave({ ...request, deposit: 'address' }, wallet)
    await writeFile(join(folder, 'deposit.json'), await tandem.exportFile())
    const { address, held } = await tandem.depositAddress(orderId)
    expect(held).toBe(part)
    await story.stack.service.setRunning(false)

    const page = await visit(copyUrl())
    await page.setInputFiles('#file', join(folder, 'deposit.json'))
    await find(page, phrase)
    const take = page.getByRole('button', { name: 'Take back what lies at the deposit address' })
    await take.waitFor()
    await assertSound('rescue-copy-deposit-address', page)
    const before = await story.balance(WBTC)
    await take.click()
    await page
      .getByRole('status')
      .filter({ hasText: 'what lay at the deposit address goes to you' })
      .getByText(/^0x[0-9a-f]{64}$/)
      .waitFor()
    await story.eventually('the return', async () => (await story.balance(WBTC)) === before + part)
    expect((await tandem.depositAddress(orderId)).address).toBe(address)
    deposit = { kept: JSON.parse(JSON.stringify(await tandem.depositPackage(orderId))), tandem }

    await take.click()
    await page.getByText('None of it lies at the deposit address, as the node shows it. Nothing was sent.').waitFor()
    await page.getByLabel('What to take back').selectOption({ label: 'Another token, sent by mistake' })
    await take.click()
    await page.getByText('First enter the address of the token.').waitFor()
    const token = page.getByLabel('Address of the token on Ethereum Localnet')
    await token.fill('usdc')
    await take.click()
    await page.getByRole('status').filter({ hasText: 'usdc' }).waitFor()
    const dollars = 2_500_000n
    await story.stack.network.fund(USDC, address, dollars)
    await token.fill(String(story.info.chains[ETHEREUM]?.assets[USDC]?.token))
    await page.getByRole('button', { name: 'Show what lies there' }).click()
    await page.getByText('2.5 USDC lies at the deposit address.').waitFor()
    await assertSound('rescue-copy-other-token', page)
    const dollarsBefore = await story.balance(USDC)
    await take.click()
    await page.getByRole('status').filter({ hasText: 'what lay at the deposit address goes to you' }).waitFor()
    await story.eventually('the return of the other token', async () => (await story.balance(USDC)) === dollarsBefore + dollars)
    await page.close()
  })

  test('the service is gone: the package of a deposit address is enough to take the coin back, and to lock the amount', async () => {
    const { kept, tandem } = deposit
    const address = String(kept.address)
    const page = await visit(copyUrl())
    await page.getByText('No phrase, but a refund package').click()
    const text = page.getByLabel('Refund package', { exact: true })
    const openIt = page.getByRole('button', { name: 'Open the package' })
    await openIt.click()
    await page.getByText('This is not the refund package of a deposit address.').waitFor()
    await text.fill(JSON.stringify({ ...kept, initiator: `0x${'6'.repeat(40)}` }))
    await openIt.click()
    await page.getByText('The parts of this refund package do not belong together').waitFor()
    await assertSound('rescue-copy-wrong-package', page)
    await text.fill('')
    await writeFile(join(folder, 'answer.json'), JSON.stringify({ status: 'Ok', result: { order_id: '', refund_package: kept } }))
    await page.setInputFiles('#package-file', join(folder, 'answer.json'))
    await openIt.click()
    await page.getByRole('heading', { name: 'Deposit address on Ethereum Localnet' }).waitFor()
    await page.getByText('None of it lies at the deposit address').waitFor()

    await story.stack.network.fund(ETH, address, 10n ** 15n)
    await page.getByLabel('What to take back').selectOption({ label: 'The coin of Ethereum Localnet' })
    await page.getByRole('button', { name: 'Show what lies there' }).click()
    await page.getByText('0.001 ETH lies at the deposit address.').waitFor()
    await assertSound('rescue-copy-package', page)
    await page.getByRole('button', { name: 'Take back what lies at the deposit address' }).click()
    await page.getByRole('status').filter({ hasText: 'what lay at the deposit address goes to you' }).waitFor()
    const isEmpty = async (token?: null) => (await tandem.depositBalance(kept, token === null ? { token } : {})).held === 0n
    await story.eventually('the return of the coin', () => isEmpty(null))

    const lockIt = page.getByRole('button', { name: 'Lock the amount' })
    await story.stack.network.fund(WBTC, address, 999_999n)
    await lockIt.click()
    await page.getByText('0.00999999 WBTC lies at the deposit address. The order needs 0.01 WBTC. Nothing was sent.').waitFor()
    await story.stack.network.fund(WBTC, address, 1n)
    await lockIt.click()
    await page
      .getByRole('status')
      .filter({ hasText: 'the amount is locked for the order' })
      .getByText(/^0x[0-9a-f]{64}$/)
      .waitFor()
    await story.eventually('the lock', () => isEmpty())
    await assertSound('rescue-copy-package-locked', page)
    await page.close()
  })

  test('the service is gone and there is no file: the phrase and a node find the payment on a chain with accounts', async () => {
    await story.stack.service.setRunning(true)
    const request = { from: WBTC, to: BTC, fromAmount: 1_000_000n, minToAmount: 900_000n, recipient: story.ownerOf(BTC) }
    const stopSolver = () => story.stack.solver.setRunning(false)
    const { phrase, orderId } = await payAndLeave(request, evmWalletOf(story, ETHEREUM), stopSolver)
    const { source_swap: source } = await story.untilStatus(orderId, 'initiated')
    await story.stack.service.setRunning(false)

    const page = await visit(copyUrl())
    await find(page, phrase)
    await page.getByRole('button', { name: 'Search the chains' }).click()
    await page.getByRole('heading', { name: 'Your payment of 0.01 WBTC on Ethereum Localnet' }).waitFor()
    await page.getByText('One payment was found.').waitFor()
    await page.getByText('Ethereum Localnet: everything since').waitFor()
    await page.getByText(/^Possible in at most \d/).waitFor()
    expect(await page.textContent('section[aria-labelledby=found]')).not.toMatch(/ethereum_localnet|undefined|NaN/)
    await assertSound('rescue-copy-lock', page)
    await page.getByRole('button', { name: 'Take the payment back' }).click()
    await page.getByText(/^The timelock on Ethereum Localnet has not ended yet/).waitFor()
    await story.passTime(ETHEREUM, Number(source.timelock))
    const before = await story.balance(WBTC)
    await page.getByRole('button', { name: 'Take the payment back' }).click()
    await page
      .getByRole('status')
      .filter({ hasText: 'Your refund is on its way to you:' })
      .getByText(/^0x[0-9a-f]{64}$/)
      .waitFor()
    await assertSound('rescue-copy-wallet-refund', page)
    await story.eventually('the refund', async () => (await story.balance(WBTC)) === before + 1_000_000n)
    await page.close()
  })

  test('on a phone in the dark it fits', async () => {
    const context = await browser.open({ phone: true, dark: true })
    const page = await watchedPage(context, problems)
    await page.goto(copyUrl())
    await page.waitForSelector('#phrase')
    await assertSound('rescue-phone-dark', page)
    await page.setInputFiles('#file', join(folder, 'payout.json'))
    await find(page, payoutPhrase)
    // This browser has no wallet.
    await page.getByText('No wallet for Ethereum Localnet was found in this browser').waitFor()
    await assertSound('rescue-phone-dark-found', page)
    await context.close()
  })

  test('no page broke its policy, asked another site or threw', () => {
    expect(problems).toEqual([])
  })
})
