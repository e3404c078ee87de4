/** Tests that no new swap starts without prices, and that running ones complete. */
import { afterAll, expect, test } from 'vitest'
import { createApiClient } from '../../demo/client/api-client.ts'
import { openStory } from './story.ts'

const ETH = 'ethereum_localnet:eth'
const USDC = 'arbitrum_localnet:usdc'
const AMOUNT = 500_000_000_000_000_000n
const DOLLARS = 100_000_000n

const story = await openStory({
  chains: ['ethereum_localnet', 'arbitrum_localnet'],
  livePrices: { poll_seconds: 1, max_age_seconds: 10 },
})
afterAll(() => story.close())

const { ticker } = story.stack
if (ticker === null) throw new Error('the prices are fixed')
// The story's own client waits and asks again.
const api = createApiClient({ baseUrl: story.stack.info.base_url, appId: story.stack.info.app_id })
const ask = () => api.quote({ from: ETH, to: USDC, from_amount: AMOUNT.toString() })
/** Resolves to the refusal of a quote, or to null while there are quotes. */
const refusal = () =>
  ask().then(
    () => null,
    (error: unknown) => String(error),
  )
const untilRefused = (words: string) => story.eventually(`no quotes: ${words}`, async () => (await refusal())?.includes(words) ?? false)
const untilQuoted = () => story.eventually('quotes', async () => (await refusal()) === null)
/** On a busy machine a price may be too old for a moment. */
const untilReceived = (what: string, is: (amount: bigint) => boolean) =>
  story.eventually(what, () =>
    ask().then(
      ({ destination }) => is(BigInt(destination.amount)),
      () => false,
    ),
  )

test('quotes follow the exchanges; without enough of them nothing new starts, and what runs is completed', async () => {
  ticker.setPrice('ETH', 4000n * DOLLARS)
  ticker.setPrice('USDC', DOLLARS)
  await untilReceived('a quote at the price', (amount) => amount < 2_000_000_000n)
  ticker.setPrice('ETH', 4100n * DOLLARS)
  await untilReceived('a quote at the new price', (amount) => amount > 2_010_000_000n)

  // One exchange that lies is outvoted.
  ticker.break('kraken', 'wild')
  const before = await story.balance(USDC)
  const created = await story.order(ETH, USDC, AMOUNT)
  await story.waitFor(created.order_id, 1000)
  await story.evm('ethereum_localnet').fund(created)
  await story.untilSeen('solver', created.order_id, 'destination initiated')

  // One lies and one is silent, so nobody knows the price.
  ticker.break('bitfinex', 'silent')
  await untilRefused('is unknown')
  await expect(
    api.createOrder({
      source: { asset: ETH, owner: story.ownerOf(ETH), amount: AMOUNT.toString() },
      destination: { asset: USDC, owner: story.ownerOf(USDC), amount: '1900000000' },
    }),
  ).rejects.toThrow('is unknown')

  await story.waitFor(created.order_id, 1)
  const done = await story.untilStatus(created.order_id, 'counterparty_redeemed')
  expect(await story.balance(USDC)).toBe(before + BigInt(done.destination_swap.amount))

  for (const exchange of ['kraken', 'bitfinex'] as const) ticker.break(exchange, null)
  await untilQuoted()

  // All agree on a price that is far from the last one, so the pair is halted.
  ticker.setPrice('ETH', 8000n * DOLLARS)
  await untilRefused('moved by')
})
