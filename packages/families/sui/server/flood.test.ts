/** These tests count the cost of a poll, never timed, while strangers call the package, and check that a redeem is still read. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRegistryCall, initiateCall, redeemCall } from '../contract/client/calls.ts'
import { orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import { startTestProvider } from './nodes/provider.fixture.ts'
import { createFamilyFixture } from './sui.fixture.ts'

/** A few transactions are read one by one, more of them with their checkpoint. */
const MAX_EXTRA_CALLS = 4

let fixture: Awaited<ReturnType<typeof createFamilyFixture>>
let provider: Awaited<ReturnType<typeof startTestProvider>>
let client: ChainClient
beforeAll(async () => {
  fixture = await createFamilyFixture()
  provider = await startTestProvider(fixture.devnet.chain)
  client = fixture.connect({ endpoints: { rpc: [provider.url] } })
})
afterAll(async () => {
  await client?.close()
  await provider?.close()
  await fixture?.close()
})

async function poll(swapId: string, terms: HtlcTerms) {
  fixture.devnet.chain.mine()
  const end = await client.tip()
  provider.asked.length = 0
  const read = await client.branchEvents?.(createWatchedSwaps([{ swapId, terms, deposits: [] }]), end.height, end, [])
  return { calls: provider.asked.length, kinds: read?.events.map(({ kind }) => kind) }
}

/** The poll reads a redeem among strangers' transactions, each of which makes a registry: that is an event of our package. */
async function callsAmong(strangers: number): Promise<number> {
  const { user, solver, devnet } = fixture
  const { sender } = devnet.faucet
  const htlc = fixture.deployedOf('sui_localnet:sui')
  const secret = createSecret()
  const terms = {
    asset: 'sui_localnet:sui',
    initiator: user.address,
    redeemer: solver.address,
    amount: 1_000n,
    timelock: 600_000n,
    secretHash: hashSecret(secret),
  } as const
  const swapId = swapIdOf(htlc, terms)
  const flood = async () => {
    for (let i = 0; i < strangers / 2; i += 1) await sender.execute((tx) => createRegistryCall(tx, htlc.packageId, htlc.coinType))
  }
  await sender.execute((tx) => initiateCall(tx, htlc, orderTermsOf(terms), tx.splitCoins(tx.gas, [terms.amount])))
  expect((await poll(swapId, terms)).kinds).toEqual(['initiated'])
  await flood()
  await sender.execute((tx) => redeemCall(tx, htlc, swapId, secret))
  await flood()
  const { calls, kinds } = await poll(swapId, terms)
  expect(kinds).toEqual(['redeemed'])
  return calls
}

test('a poll costs a few calls more, however many strangers call the package, and sees the spend', async () => {
  const quiet = await callsAmong(0)
  for (const strangers of [2, 8, 40]) expect(await callsAmong(strangers)).toBeLessThanOrEqual(quiet + MAX_EXTRA_CALLS)
})
