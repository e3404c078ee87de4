/** Tests that orders are taken only while the relay key can pay for payouts. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { createMemoryChain } from '@tandem/party/engine/chain.fixture.ts'
import { leaseAction, syncWanted } from '@tandem/party/store/actions/actions.ts'
import { recordPoll } from '@tandem/party/store/chain/events.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { blockOf, NOW, openTestStore, putOrder, sightingsOf } from '@tandem/party/store/store.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { expect, test } from 'vitest'
import { createRelayFunds } from './relay-funds.ts'
import { publishIdentity, readIdentity } from './relay-identity.ts'

const chain = 'ethereum_localnet'

const store = sharedStore()

const log = createLogger({ name: 'test', level: 'silent' })

test('orders to a chain need coins for four payouts at four times the current fee, and come back with the coins', async () => {
  const store = await openTestStore()
  try {
    const memory = createMemoryChain(chain, NOW)
    const key = createKey('secp256k1', '11'.repeat(32))
    const world = { balance: 0n, nowMs: 0, answers: true }
    const client = {
      ...memory,
      chain: memory.chain,
      async balance() {
        if (!world.answers) throw new ChainFailure('unreachable', 'no answer')
        return world.balance
      },
      legCost: async () => ({ decimals: 18, initiate: 100n, redeem: 10n, refund: 1n, newRecipient: 3n, kept: 7n }),
    }
    const deployments = { 'ethereum_localnet:wbtc': { htlc: '0x01', token: '0x02' } }
    const funds = createRelayFunds({
      db: store.db,
      registry: createRegistry({ chains: localChains, assets: localAssets, deployments, served: new Set([chain]) }),
      clients: new Map([[chain, client]]),
      relay: createKeyring([key]),
      log: createLogger({ name: 'test', level: 'silent' }),
      nowMs: () => world.nowMs,
    })
    // The balance must cover 7 that the account keeps, and 4 × 4 × 10. The solver pays for the account of a new recipient.
    world.balance = 166n
    await funds.check(chain)
    expect(() => funds.assertPayable(chain)).toThrow('too little ethereum_localnet:eth to pay for payouts on ethereum_localnet')
    // A node that does not answer changes nothing.
    world.answers = false
    await funds.check(chain)
    expect(() => funds.assertPayable(chain)).toThrow('too little')
    Object.assign(world, { answers: true, balance: 167n })
    await funds.check(chain)
    funds.assertPayable(chain)
    // A payout that is owed takes as much again, until it is made.
    const { source, destination } = (await putOrder(store.db)).order
    await funds.check(chain)
    funds.assertPayable(chain)
    const poll = { finalHeight: null, unconfirmed: [], after: null }
    const mined = async (on: string, height: bigint, event: HtlcEvent) => {
      const block = blockOf(height)
      await recordPoll(store.db, { ...poll, chain: on, blocks: [block], events: [{ ...event, block }] })
      await funds.check(chain)
    }
    await mined(source.chain, 1n, sightingsOf(source.swapId).initiated())
    expect(() => funds.assertPayable(chain)).toThrow('too little')
    world.balance = 207n
    await funds.check(chain)
    funds.assertPayable(chain)
    world.balance = 167n
    await mined(chain, 2n, sightingsOf(destination.swapId).redeemed('5e'.repeat(32)))
    funds.assertPayable(chain)
  } finally {
    await store.close()
  }
})

test('orders with a deposit address need coins for their initiations too, of which enough must be left for payouts', async () => {
  const memory = createMemoryChain(chain, NOW)
  const key = createKey('secp256k1', '11'.repeat(32))
  const deployments = { 'ethereum_localnet:wbtc': { htlc: '0x01', token: '0x02' } }
  const registry = createRegistry({ chains: localChains, assets: localAssets, deployments, served: new Set([chain]) })
  const fundsWith = async (balance: bigint, leaves: bigint) => {
    const cost = { decimals: 18, initiate: 100n, redeem: 10n, refund: 1n, bound: 30n, kept: 7n, leaves }
    const prefund = { addressOf: () => 'an address', amounts: async () => [], initiate: async () => '', reclaim: async () => null }
    const client = { ...memory, chain: memory.chain, balance: async () => balance, legCost: async () => cost, prefund }
    const funds = createRelayFunds({ db: store.db, registry, clients: new Map([[chain, client]]), relay: createKeyring([key]), log })
    await funds.check(chain)
    return funds
  }
  // 7 that the account keeps, 4 × 4 × 10 for payouts, or what an initiation leaves, and four initiations: 4 × (4 × 100 + 30).
  for (const [leaves, least] of [
    [0n, 1_887n],
    [160n, 1_887n],
    [161n, 1_888n],
  ] as const) {
    const poor = await fundsWith(least - 1n, leaves)
    poor.assertPayable(chain)
    expect(() => poor.assertCanInitiate(chain)).toThrow('too little ethereum_localnet:eth to pay for initiations on ethereum_localnet')
    const rich = await fundsWith(least, leaves)
    rich.assertCanInitiate(chain)
  }
})

test('gas for recipients needs coins for four of them, beside what open payouts take and give', async () => {
  const memory = createMemoryChain(chain, NOW)
  const deployments = { 'ethereum_localnet:wbtc': { htlc: '0x01', token: '0x02' } }
  const registry = createRegistry({ chains: localChains, assets: localAssets, deployments, served: new Set([chain]) })
  const cost = { decimals: 18, initiate: 100n, redeem: 10n, refund: 1n, kept: 7n }
  const relay = createKeyring([createKey('secp256k1', '11'.repeat(32))])
  const fundsWith = async (balance: bigint) => {
    const client = { ...memory, chain: memory.chain, balance: async () => balance, legCost: async () => cost }
    const funds = createRelayFunds({ db: store.db, registry, clients: new Map([[chain, client]]), relay, log, gasOf: () => 1_000n })
    await funds.check(chain)
    return funds
  }
  // 7 that the account keeps, 4 × 4 × 10 for payouts, 4 × 1000.
  const poor = await fundsWith(4_166n)
  poor.assertPayable(chain)
  expect(() => poor.assertCanGiveGas(chain)).toThrow('too little ethereum_localnet:eth to pay for destination gas on ethereum_localnet')
  const rich = await fundsWith(4_167n)
  rich.assertCanGiveGas(chain)
  // An order that is funded takes its payout, and gives its gas, for which orders without gas do not wait until it is begun.
  const { order } = await putOrder(store.db, { destination: { chain, gas: 500n } })
  const block = blockOf(1n)
  const poll = { chain: order.source.chain, finalHeight: null, unconfirmed: [], after: null, blocks: [block] }
  await recordPoll(store.db, { ...poll, events: [{ ...sightingsOf(order.source.swapId).initiated(), block }] })
  const [payouts, gifts] = [7n + 160n + 40n, 500n + 4_000n]
  ;(await fundsWith(payouts)).assertPayable(chain)
  ;(await fundsWith(payouts + gifts)).assertCanGiveGas(chain)
  const short = await fundsWith(payouts + gifts - 1n)
  expect(() => short.assertCanGiveGas(chain)).toThrow('too little')
  const redeem = { orderId: order.id, leg: 'destination', verb: 'redeem' } as const
  await syncWanted(store.db, [order.id], [redeem])
  expect(await leaseAction(store.db, 'engine', 60)).not.toBeNull()
  const begun = await fundsWith(payouts + 499n)
  expect(() => begun.assertPayable(chain)).toThrow('too little')
  ;(await fundsWith(payouts + gifts)).assertCanGiveGas(chain)
})

test('before the first engine there is none, and the error says what to start', async () => {
  await expect(readIdentity(store.db, log, 0)).rejects.toThrow('tandem start --role engine')
})

test('an API process knows the public keys of the engine, and no more; new ones replace them', async () => {
  for (const secret of ['11', '22']) {
    const keys = [createKey('secp256k1', secret.repeat(32)), createKey('ed25519', secret.repeat(32))]
    await publishIdentity(store.db, createKeyring(keys))
    const payer = await readIdentity(store.other, log)
    for (const { curve, publicKey } of keys) expect(payer.findByCurve(curve)).toEqual({ curve, publicKey })
    expect(payer.findByCurve('stark')).toBeNull()
  }
})
