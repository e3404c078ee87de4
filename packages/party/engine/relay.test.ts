/** Tests signed initiations through the engine to a real EVM: fee spikes, reverts, reorgs, and several at once. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createEvmFixture, type EvmFixture } from '@tandem/evm/server/evm.fixture.ts'
import { readAttempt } from '@tandem/evm/server/send/transaction.ts'
import { createContracts, initiateData, initiateTypedData } from '@tandem/evm/terms/htlc.ts'
import { createKeyring } from '@tandem/keys/keyring.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { signedGrant } from '@tandem/protocol/grants.fixture.ts'
import { actionKey, type Order } from '@tandem/protocol/order.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { createServiceParty } from '@tandem/service/party.ts'
import { encodeFunctionData, erc20Abi, type Hex, maxUint256, numberToHex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readAction } from '../store/actions/actions.ts'
import { readAttempts } from '../store/actions/attempts.ts'
import { type ActionResult, finishAction } from '../store/actions/finish-action.ts'
import { readRevertedRelays } from '../store/actions/reverted-relays.ts'
import { createApp } from '../store/apps/apps.ts'
import { addGrant } from '../store/orders/grants.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { openTestStore, putOrder, type TestStore, VAULT_KEY } from '../store/store.fixture.ts'
import { createMemoryChain, type MemoryChain } from './chain.fixture.ts'
import { registry } from './engine.fixture.ts'
import { type ExecutorContext, executeAction } from './executor.ts'
import { createLeases } from './leases.ts'
import { reconcile } from './reconciler.ts'
import { pollChain } from './watcher.ts'

let store: TestStore
let fixture: EvmFixture
let client: ChainClient
let bitcoin: MemoryChain
let context: ExecutorContext
/** The parties' clock in unix seconds, which only a test moves. */
let now: bigint

beforeAll(async () => {
  ;[store, fixture] = await Promise.all([openTestStore(), createEvmFixture()])
  await createApp(store.db, 'shop')
  client = fixture.connect()
  now = (await client.tip()).time
  bitcoin = createMemoryChain('bitcoin_regtest', now)
  const clients = new Map([client, bitcoin].map((each) => [each.chain.id, each]))
  const vault = createVault(VAULT_KEY)
  const party = createServiceParty({ db: store.db, vault, relay: createKeyring([fixture.solver.signer]), onReconciled: () => new Map() })
  context = { db: store.db, registry, clients, party, leases: createLeases(store.db, 'engine', 60), now: () => now }
})
afterAll(async () => {
  await client.close()
  await fixture.close()
  await store.close()
})
beforeEach(async () => {
  await fixture.sendAs(fixture.user, approve(maxUint256))
  await fixture.mine()
  now = (await client.tip()).time
  await forgiveReverts()
})

const approve = (amount: bigint) => ({
  to: fixture.contracts.tokens.wbtc,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [fixture.contracts.htlcs.wbtc, amount] }),
})
/** The approval is in the mempool before the relay, so that it is mined first. */
const approveFirst = (amount: bigint) => fixture.sendAs(fixture.user, approve(amount))

const forgiveReverts = () =>
  store.db
    .updateTable('attempts')
    .set({ reverted_at: new Date(0) })
    .execute()

async function grantedOrder(): Promise<Order> {
  const secret = createSecret()
  const terms = {
    asset: `${fixture.chain.id}:wbtc` as AssetId,
    initiator: fixture.user.address,
    redeemer: `0x${'5e'.repeat(20)}`,
    amount: 1_000n,
    timelock: 600n,
    secretHash: hashSecret(secret),
  }
  const { order } = await putOrder(store.db, {
    secret,
    deadline: now + 3600n,
    source: { chain: fixture.chain.id, swapId: client.swapId(terms), terms, agreedAmount: terms.amount },
    destination: { chain: 'bitcoin_regtest' },
  })
  const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
  const typed = JSON.parse(JSON.stringify(initiateTypedData(contract, terms)))
  await addGrant(store.db, order.id, signedGrant(await fixture.user.account.signTypedData(typed)))
  await store.db.updateTable('grants').set({ sponsor: 'shop' }).where('order_id', '=', order.id).execute()
  return order
}

async function round(): Promise<ReadonlyMap<string, ActionResult>> {
  for (const each of [client, bitcoin]) {
    while ((await pollChain({ db: store.db, client: each, holder: 'watcher', onReorg: () => undefined })).behind);
  }
  await reconcile({ db: store.db, registry, party: { role: 'service' } }, now)
  await store.db
    .updateTable('actions')
    .set({ due_at: new Date(0) })
    .execute()
  const results = new Map<string, ActionResult>()
  for (;;) {
    const leased = await context.leases.next()
    if (leased === null || results.has(leased.orderId)) return results
    const result = await executeAction(context, leased)
    await finishAction(
      store.db,
      leased,
      result.kind === 'cancelled' || result.kind === 'finished' ? result : { ...result, againInMs: 600_000 },
    )
    results.set(leased.orderId, result)
  }
}

const withdraw = ({ id }: Order) => store.db.deleteFrom('grants').where('order_id', '=', id).execute()
async function leaseFor({ id }: Order) {
  await store.db
    .updateTable('actions')
    .set({ due_at: new Date(0) })
    .where('order_id', '=', id)
    .execute()
  const leased = await context.leases.next()
  if (leased?.orderId !== id) throw new Error('nothing to lease')
  return leased
}
const keyOf = ({ id }: Order) => actionKey(id, 'source', 'initiate')
const attemptsOf = async (order: Order) => (await readAttempts(store.db, keyOf(order))).map(readAttempt)
const sentBy = (results: ReadonlyMap<string, ActionResult>, { id }: Order): string => {
  const result = results.get(id)
  if (result?.kind !== 'sent') throw new Error(`expected it to be sent: ${JSON.stringify(result)}`)
  return result.tx
}
const isInitiated = async ({ source }: Order) => {
  const events = await store.db.selectFrom('events').select('kind').where('swap_id', '=', source.swapId).execute()
  return events.some(({ kind }) => kind === 'initiated')
}
const relayerNonce = async () =>
  BigInt((await fixture.local.request({ method: 'eth_getTransactionCount', params: [fixture.solver.address, 'latest'] })) as Hex)

test('a fee spike between signing and mining: it is replaced with a higher fee, and mined once', async () => {
  const order = await grantedOrder()
  const first = sentBy(await round(), order)
  const [{ fees } = { fees: { maxFeePerGas: 0n } }] = await attemptsOf(order)
  await fixture.local.request({ method: 'hardhat_setNextBlockBaseFeePerGas', params: [numberToHex(fees.maxFeePerGas + 1n)] })
  await fixture.passSeconds(fixture.chain.feeBumpSeconds)
  now = (await client.tip()).time
  const nonce = await relayerNonce()
  const second = sentBy(await round(), order)
  expect(second).not.toBe(first)
  const [cheap, dear] = await attemptsOf(order)
  expect([cheap?.nonce, dear?.nonce]).toEqual([nonce, nonce])
  expect(dear?.fees.maxFeePerGas).toBeGreaterThan(2n * (cheap?.fees.maxFeePerGas ?? 0n))
  await fixture.mine()
  await round()
  expect(await isInitiated(order)).toBe(true)
  expect(await relayerNonce()).toBe(nonce + 1n)
})

test('two unmined relays have a nonce each; dropping the first loses neither', async () => {
  const [a, b] = [await grantedOrder(), await grantedOrder()]
  // The node accepts both and drops the first.
  fixture.local.faults.drop(1)
  await round()
  const nonces = (await Promise.all([a, b].map(attemptsOf))).map((attempts) => attempts.map(({ nonce }) => nonce))
  const next = await relayerNonce()
  expect(nonces.flat().toSorted()).toEqual([next, next + 1n])
  await fixture.mine()
  await round()
  await fixture.mine()
  await round()
  expect([await isInitiated(a), await isInitiated(b)]).toEqual([true, true])
})

test('a reverted relay is reported with the reason, and sent again only when the cause is gone', async () => {
  const order = await grantedOrder()
  // The user revokes the allowance just before the relay is mined.
  await approveFirst(0n)
  const dead = sentBy(await round(), order)
  await fixture.mine()
  expect(await client.gasless?.hasReverted?.(dead)).toBe(true)
  const nonce = await relayerNonce()
  const failed = (await round()).get(order.id)
  expect(failed).toMatchObject({ kind: 'failed', revertedTx: dead })
  expect(await readAction(store.db, keyOf(order))).toMatchObject({
    lastTx: null,
    revertedTx: dead,
    refusal: expect.stringMatching(
      new RegExp(
        `^the relayed transaction ${dead} was mined and reverted: .* has approved 0 .*; your signature stays valid: .* revoke_transaction`,
      ),
    ),
  })
  expect([await attemptsOf(order), await relayerNonce()]).toEqual([[expect.objectContaining({ tx: dead })], nonce])

  await fixture.sendAs(fixture.user, approve(maxUint256))
  await fixture.mine()
  const live = sentBy(await round(), order)
  expect(live).not.toBe(dead)
  expect(await readAction(store.db, keyOf(order))).toMatchObject({ lastTx: live, revertedTx: null, refusal: null })
  await fixture.mine()
  await round()
  expect(await isInitiated(order)).toBe(true)
})

test('an initiator whose relays reverted three times gets no more relays', async () => {
  const order = await grantedOrder()
  for (let times = 0; times < 3; times += 1) {
    await approveFirst(0n)
    sentBy(await round(), order)
    await fixture.mine()
    await fixture.sendAs(fixture.user, approve(maxUint256))
    await fixture.mine()
  }
  const last = (await attemptsOf(order)).at(-1)?.tx
  expect((await round()).get(order.id)).toMatchObject({
    kind: 'failed',
    revertedTx: last,
    error: expect.stringContaining('no more are paid for'),
  })
  expect(await attemptsOf(order)).toHaveLength(3)

  // The limit also applies to other orders of this initiator.
  const other = await grantedOrder()
  const refusal = '3 relayed transactions for this initiator reverted, and no more are paid for'
  expect((await round()).get(other.id)).toMatchObject({ kind: 'failed', refusal })
  expect(await attemptsOf(other)).toEqual([])
  await forgiveReverts()
  await withdraw(order)
  sentBy(await round(), other)
  await fixture.mine()
})

test('a relay that reverts after its grant is gone still counts', async () => {
  const order = await grantedOrder()
  await approveFirst(0n)
  sentBy(await round(), order)
  await fixture.mine()
  await withdraw(order)
  const reverted = () => readRevertedRelays(store.db, fixture.chain.id, fixture.user.address)
  expect(await reverted()).toHaveLength(0)
  expect((await round()).get(order.id)).toEqual({ kind: 'cancelled' })
  expect(await reverted()).toHaveLength(1)
})

test('a relay that reverts because another account initiated first does not count', async () => {
  const order = await grantedOrder()
  const { terms } = order.source
  const contract = createContracts(fixture.chain, fixture.assets).of(terms.asset)
  await fixture.sendAs(fixture.user, { to: contract.address, data: initiateData(terms, fixture.user.address) })
  const dead = sentBy(await round(), order)
  await fixture.mine()
  expect(await client.gasless?.hasReverted?.(dead)).toBe(true)
  const leased = await leaseFor(order)
  expect(await executeAction(context, leased)).toMatchObject({ kind: 'skipped' })
  expect(await readRevertedRelays(store.db, fixture.chain.id, fixture.user.address)).toEqual([])
  await round()
  expect(await isInitiated(order)).toBe(true)
})

test('a relay that a reorg removes is sent again', async () => {
  const order = await grantedOrder()
  const tx = sentBy(await round(), order)
  await fixture.mine()
  await round()
  expect(await isInitiated(order)).toBe(true)
  await fixture.local.faults.reorg(1, { transactions: 'drop', blocks: 2 })
  const results = await round()
  expect(await isInitiated(order)).toBe(false)
  expect(sentBy(results, order)).toBe(tx)
  await fixture.mine()
  await round()
  expect(await isInitiated(order)).toBe(true)
})

test('a relay that fails because our balance is too low gives the user no reason', async () => {
  const order = await grantedOrder()
  const poor = numberToHex(1n)
  const balance = await fixture.local.request({ method: 'eth_getBalance', params: [fixture.solver.address, 'latest'] })
  await fixture.local.request({ method: 'hardhat_setBalance', params: [fixture.solver.address, poor] })
  const failed = (await round()).get(order.id)
  await fixture.local.request({ method: 'hardhat_setBalance', params: [fixture.solver.address, balance] })
  expect(failed).toMatchObject({ kind: 'failed', error: expect.stringContaining('needs') })
  expect(failed).not.toHaveProperty('refusal')
  expect(await attemptsOf(order)).toEqual([])
  sentBy(await round(), order)
  await fixture.mine()
})
