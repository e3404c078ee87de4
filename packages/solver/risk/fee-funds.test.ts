/** Tests how many coins for network fees the orders in flight need. */
import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import type { InFlight } from '@tandem/party/store/solver/in-flight.ts'
import { NOW } from '@tandem/party/store/store.fixture.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { describe, expect, test } from 'vitest'
import { createFeeFunds, dutiesOn, type FeeFunds, missing, topUp } from './fee-funds.ts'
import { tripsOf } from './fee-funds-watch.ts'

const cost = (changes: Partial<LegCost> = {}): LegCost => ({ decimals: 9, initiate: 100n, redeem: 10n, refund: 1n, ...changes })
const costs = new Map([
  ['here:coin', cost()],
  ['here:token', cost({ redeem: 20n, newRecipient: 1_000n, bound: 50_000n, kept: 7n })],
] as const)

function flight(
  from: string,
  to: string,
  changes: { admitted?: boolean; redeemed?: boolean; paid?: boolean; ended?: boolean } = {},
): InFlight {
  const chainOf = (asset: string) => asset.slice(0, asset.indexOf(':'))
  return {
    orderId: 'order',
    admitted: changes.admitted ?? true,
    usdMicros: 1n,
    clientSecret: false,
    source: { chain: chainOf(from), asset: from as `${string}:${string}`, isSpent: changes.redeemed ?? false, block: null },
    destination: {
      chain: chainOf(to),
      asset: to as `${string}:${string}`,
      amount: 5n,
      isPaid: changes.paid ?? false,
      isSpent: changes.ended ?? false,
    },
  }
}

describe('what orders in flight take of the coin of their chain', () => {
  test.each([
    // The account always keeps 7.
    ['nothing in flight', [], 7n],
    ['a redeem', [flight('here:coin', 'there:coin')], 17n],
    ['a redeem that is mined', [flight('here:coin', 'there:coin', { redeemed: true })], 7n],
    ['an order that is not admitted', [flight('here:coin', 'there:coin', { admitted: false })], 7n],
    // The fees are 2 × 20, and the cost of one token account.
    ['two redeems of a token', [flight('here:token', 'there:coin'), flight('here:token', 'there:coin')], 1_047n],
    // The need is 100 to initiate, 1,000 for the account of a new recipient, 1 to refund, and the 50,000 of the payment.
    ['a payment', [flight('there:coin', 'here:token')], 51_108n],
    ['a payment that is mined may be refunded', [flight('there:coin', 'here:token', { paid: true })], 8n],
    ['a payment that is redeemed', [flight('there:coin', 'here:token', { paid: true, ended: true })], 7n],
  ])('%s', (_, flights, duties) => {
    expect(dutiesOn('here', costs, flights)).toBe(duties)
  })
})

test('of a chain are read: what is there, what is needed with payments of the coin itself, and what one more order takes at a peak', async () => {
  const [here, coin, token] = ['ethereum_localnet', 'ethereum_localnet:eth', 'ethereum_localnet:wbtc'] as const
  const memory = createMemoryChain(here, NOW)
  const key = createKey('secp256k1', '11'.repeat(32))
  memory.balances[`${coin} ${memory.addressOf(key)}`] = 900n
  const deployments = { [coin]: { htlc: '0x01', token: null }, [token]: { htlc: '0x02', token: '0x03' } }
  const funds = createFeeFunds({
    registry: createRegistry({ chains: localChains, assets: localAssets, deployments, served: new Set([here]) }),
    clients: new Map([[here, { ...memory, chain: memory.chain, legCost: async () => cost() }]]),
    keys: createKeyring([key]),
    legCosts: { highest: async (asset) => (asset === token ? cost({ redeem: 20n, newRecipient: 1_000n, bound: 50_000n }) : cost()) },
    peakFactor: 4n,
  })
  expect(funds.chains).toEqual([here])
  // A payment of the coin is promised before it is admitted, and over once it is mined.
  const flights = [
    flight('there:coin', coin, { admitted: false }),
    flight('there:coin', coin, { admitted: false, paid: true }),
    flight(coin, 'there:coin'),
  ]
  expect(await funds.read(here, flights)).toMatchObject({
    asset: coin,
    address: memory.addressOf(key),
    balance: 900n,
    needed: 5n + 40n,
    perRedeem: 80n + 1_000n,
    perPayment: 400n + 4n + 50_000n + 1_000n,
  })
  expect([await funds.duties(here, flights), await funds.duties('there', flights)]).toEqual([40n, 0n])
})

describe('nothing new is taken', () => {
  const funds = (balance: bigint): FeeFunds => ({
    chain: 'here',
    asset: 'here:coin',
    decimals: 9,
    address: 'me',
    balance,
    needed: 100n,
    perRedeem: 10n,
    perPayment: 5n,
  })

  test.each([
    // The need is 100 for what is in flight, four redeems of 10, and a payment of 5.
    [145n, []],
    [144n, ['*->here']],
    [140n, ['*->here']],
    [139n, ['here->*', '*->here']],
    [0n, ['here->*', '*->here']],
  ])('with %s', (balance, scopes) => {
    const trips = tripsOf(funds(balance))
    expect(trips.map(({ scope }) => scope).sort()).toEqual([...scopes].sort())
    for (const { cause, reason } of trips) expect([cause, reason]).toEqual(['fee funds', expect.stringMatching(/send \d+ or more to it/)])
  })

  test('the text says how much to send where', () => {
    expect(missing(funds(99n), 0n)).toBe(1n)
    expect(topUp(funds(99n), 10n)).toBe('me has 99 of here:coin (smallest unit) for network fees, and needs 110: send 11 or more to it')
  })
})
