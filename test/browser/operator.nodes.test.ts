/** The operator page in a real Chromium, against a whole local stack with real orders. */

import type { ActivityRecord, OrderRowsRecord, OverviewRecord } from '@tandem/protocol/wire/operator.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeWithBrowser } from '../nodes/describe-with-node.ts'
import { openStory } from '../swaps/story.ts'
import { startChromium } from './chromium.ts'
import { flaws, watchedPage } from './page-checks.ts'

/** Its names and times are the widest that the table can have. */
const LONGEST_STEP = {
  from: 'counterparty_initiate_detected',
  to: 'counterparty_redeem_detected',
  orders: 12_345,
  median_seconds: 671,
  p95_seconds: 41_000,
  slowest_seconds: 93_784,
} as const

await describeWithBrowser('the operator page', () => {
  const story = opened(() => openStory({ chains: ['ethereum_localnet', 'arbitrum_localnet'] }))
  const browser = opened(startChromium)
  let user: BrowserContext
  let page: Page
  let waiting: string
  const problems: string[] = []

  beforeAll(async () => {
    await makeOrders()
    user = await browser.open()
    page = await visit(user, story.stack.info.operator_url)
  })

  /** One order completes, and one waits for a solver that is down. */
  async function makeOrders(): Promise<void> {
    const pay = story.evm('ethereum_localnet')
    const make = () => story.order('ethereum_localnet:eth', 'arbitrum_localnet:usdc', 40_000_000_000_000_000n)
    const done = await make()
    await pay.fund(done)
    await story.untilStatus(done.order_id, 'redeemed', 'counterparty_redeemed')
    const open = await make()
    await story.stack.solver.setRunning(false)
    await pay.fund(open)
    await story.untilStatus(open.order_id, 'initiated')
    waiting = open.order_id
  }

  const origin = () => new URL(story.stack.info.base_url).origin

  async function visit(of: BrowserContext, url: string): Promise<Page> {
    const opened = await watchedPage(of, problems)
    await opened.goto(url)
    return opened
  }

  /** The row in the list of orders in progress; the list of the slowest steps may name the order too. */
  const rowOf = (order: string) =>
    page
      .getByRole('region', { name: 'Orders in progress' })
      .getByRole('row')
      .filter({ has: page.locator(`a[href="#/orders/${order}"]`) })

  async function assertSound(name: string, of: Page = page): Promise<void> {
    expect(await flaws(of, `operator-${name}`)).toEqual([])
  }

  test('a wrong token is refused with a reason, and the page says how to get one', async () => {
    const stranger = await browser.open()
    const opened = await visit(stranger, `${origin()}/operator`)
    await opened.getByLabel('Token').fill(`${'0'.repeat(12)}.${'0'.repeat(64)}`)
    await opened.getByRole('button', { name: 'Log in' }).click()
    await opened.getByRole('alert').filter({ hasText: 'the token is wrong or revoked' }).waitFor()
    await assertSound('login', opened)
    await stranger.close()
  })

  test('the printed link logs in, and its token leaves the address bar', async () => {
    await page.getByRole('heading', { name: 'Orders in progress' }).waitFor()
    expect(page.url()).toBe(`${origin()}/operator`)
    expect(await user.cookies()).toMatchObject([{ name: 'tandem_operator', httpOnly: true, sameSite: 'Strict', path: '/operator' }])
  })

  test('the overview shows chains, the waiting order and the swap that completed', async () => {
    const row = rowOf(waiting)
    await row.filter({ hasText: 'solver: the solver locks the destination' }).waitFor()
    await page.getByRole('row', { name: /Ethereum.* in sync/ }).waitFor()
    await page.getByRole('img', { name: /^Swaps, every 6 hours: 1 in two weeks/ }).waitFor()
    await page.getByText(/^Does not answer: /).waitFor()
    await page.getByRole('button', { name: /^The solver .* does not answer$/ }).click()
    await page.getByRole('heading', { name: 'Solvers and inventory' }).waitFor()
    await assertSound('overview')
    await page.locator(`a[href="#/orders/${waiting}"]`).first().click()
    await page.getByRole('heading', { name: 'Why is it not moving?' }).waitFor()
    await page.getByText('Waiting for the solver').waitFor()
    await assertSound('waiting')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Chains' }).waitFor()
    await assertSound('overview-again')
  })

  test('a stuck order stands out, and two weeks of swaps are drawn', async () => {
    const reason = 'redeem destination failed 5 times: insufficient funds'
    const change = (path: string, edit: (result: never) => unknown) =>
      page.route(`**/operator/api/${path}`, async (route) => {
        const response = await route.fetch()
        const { result } = (await response.json()) as { readonly result: never }
        await route.fulfill({ response, json: { status: 'Ok', error: null, result: edit(result) } })
      })
    await change('overview', (result: OverviewRecord) => ({ ...result, stuck: 1 }))
    await change('orders', ({ orders, more }: OrderRowsRecord) => ({ more, orders: orders.map((order) => ({ ...order, stuck: reason })) }))
    await change('activity', (result: ActivityRecord) => ({
      ...result,
      periods: result.periods.map(({ at }, index) => ({ at, swaps: (index * 7) % 23, volume_usd: String((index * 911) % 40_000) })),
      steps: result.steps.map((step) => ({ ...step, ...LONGEST_STEP })),
    }))
    await page.reload()
    await page.getByRole('button', { name: 'One order is stuck' }).waitFor()
    await rowOf(waiting).filter({ hasText: reason }).waitFor()
    await page.getByRole('img', { name: /^Swaps, every 6 hours: \d{3} in two weeks, at most 22 in 6 hours/ }).waitFor()
    await assertSound('stuck')
    await page.unrouteAll({ behavior: 'wait' })
    await page.reload()
    await page.getByRole('heading', { name: 'Chains' }).waitFor()
  })

  test('it updates without a reload: a new order appears', async () => {
    await story.stack.solver.setRunning(true)
    await rowOf(waiting).filter({ hasText: 'initiated' }).waitFor({ state: 'detached' })
  })

  test('an order is found by its id, and its page says why it is where it is', async () => {
    await page.getByLabel(/^Find an order/).fill(waiting)
    await page.keyboard.press('Enter')
    await page.getByText('1 order', { exact: true }).waitFor()
    await assertSound('search')
    await page.locator(`a[href="#/orders/${waiting}"]`).click()
    await page.getByRole('heading', { name: /^(Why is it not moving\?|Where it stands)$/ }).waitFor()
    await page.getByRole('rowheader', { name: 'redeem destination' }).waitFor()
    await page.getByText('the destination redeem is mined: the user is paid').or(page.getByText('the source redeem is mined')).waitFor()
    await assertSound('order')
    await page.getByRole('link', { name: 'Overview' }).click()
  })

  test('an operator who may write halts a chain with a reason, and resumes it', async () => {
    await page.getByRole('button', { name: /^Halt Ethereum/ }).click()
    await page.getByLabel(/^Why halt/).fill('<b>maintenance</b>')
    await assertSound('halt')
    await page.getByRole('button', { name: 'Halt it' }).click()
    // It must be text, never markup.
    await page.getByText('halted: <b>maintenance</b>', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Ethereum Localnet: halted: <b>maintenance</b>' }).waitFor()
    await assertSound('halted')
    await page.getByRole('button', { name: /^Resume Ethereum/ }).click()
    await page.getByText('halted: <b>maintenance</b>').first().waitFor({ state: 'detached' })
  })

  test('it is usable on a phone', async () => {
    const other = await browser.open({ phone: true })
    const token = story.stack.info.operator_url.split('#')[1]
    const opened = await visit(other, `${origin()}/operator#${token}`)
    await opened.getByRole('heading', { name: 'Chains' }).waitFor()
    await opened.getByRole('img', { name: /^Volume/ }).waitFor()
    await assertSound('touched', opened)
    await opened.goto(`${origin()}/operator#/orders/${waiting}`)
    await opened.getByRole('heading', { name: /^(Why is it not moving\?|Where it stands)$/ }).waitFor()
    await assertSound('order-touched', opened)
    await other.close()
  })

  test('while the service is down the page says so, and continues by itself', async () => {
    await story.stack.service.setRunning(false)
    await page.getByText('The service does not answer').waitFor()
    await story.stack.service.setRunning(true)
    await page.getByText('The service does not answer').waitFor({ state: 'detached' })
  })

  test('the logout ends the session', async () => {
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token').waitFor()
    await page.reload()
    await page.getByLabel('Token').waitFor()
  })

  test('no policy was violated, nothing failed, and nobody else was asked', () => {
    expect(problems).toEqual([])
  })
})
