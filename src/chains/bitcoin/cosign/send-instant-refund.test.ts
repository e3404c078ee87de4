// Instant refunds whose agreed fee has become too little: who pays the rest, and when nobody does.

import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TestSigner } from '../../../keys/keys.fixture.ts'
import type { HtlcTerms } from '../../../protocol/htlc.ts'
import type { SignedInstantRefund } from '../../../protocol/order.ts'
import { createMemoryOutbox, type MemoryOutbox } from '../../testing/outbox.fixture.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { scriptOfAddress } from '../script/address.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, failure, type Scene, startScene } from '../wallet/manual-mining.fixture.ts'
import { signWalletPayment } from '../wallet/sign.ts'
import { signTogether } from './cosign.fixture.ts'
import { sendInstantRefund } from './send-instant-refund.ts'

let scene: Scene
let terms: HtlcTerms
let relay: TestSigner
let box: MemoryOutbox
let feeRate: bigint

beforeEach(async () => {
  scene = await startScene('rpc')
  terms = scene.terms(200_000n)
  relay = randomSigner()
  box = createMemoryOutbox(relay)
  feeRate = 1_000n
})
afterEach(() => scene.node.close())

const wallet = () => scene.client.addressOf(relay)
const home = () => scene.client.addressOf(scene.solver)

async function deposit(...amounts: readonly bigint[]): Promise<void> {
  for (const amount of amounts) await scene.node.faucet(scene.client.swapId(terms), amount)
  scene.node.mine(1)
}

async function giveRelay(...amounts: readonly bigint[]): Promise<void> {
  for (const amount of amounts) await scene.node.faucet(wallet(), amount)
  scene.node.mine(1)
}

/** All deposits, each with the agreed fee. */
async function signed(fee = 200n): Promise<readonly SignedInstantRefund[]> {
  const { deposits } = await scene.look(terms)
  const refunds = deposits.map(({ id, amount }) => ({ deposit: id, amount, to: home(), pays: amount - fee }))
  return signTogether(scene.client, terms, refunds, { initiator: scene.solver, redeemer: scene.user })
}

async function send(refunds: readonly SignedInstantRefund[], key = 'refund'): Promise<string> {
  const backend = createCoreBackend(scene.node.rpcUrl, regtest)
  const blocks = createBlocksSince(backend)
  return sendInstantRefund(
    { chain, network: regtest, backend, outbox: box.open(key), feeRate: async () => feeRate, blocks },
    terms,
    refunds,
  )
}

const sent = () => parseTransaction(box.attempts('refund').at(-1)?.raw ?? '')
/** Everything that waits but this, which the node forgets. */
function mineWithout(tx: string): void {
  scene.node.mine(1)
  scene.node.reorg(1, { dropTransactions: [tx], mineReturned: true })
}
const dueAgain = () => box.passSeconds(chain.feeBumpSeconds)

it('goes out as agreed while that is enough, whatever the wallet holds', async () => {
  await deposit(150_000n)
  await giveRelay(50_000n)
  const refunds = await signed()
  const tx = await send(refunds)
  expect(sent().inputs).toHaveLength(1)
  expect(await scene.unminedFee(tx)).toEqual({ fee: 200n, vsize: 100n })
})

it('has one coin pay what the fee has risen by, behind the deposits, with change to the wallet', async () => {
  await deposit(150_000n, 60_000n)
  await giveRelay(80_000n, 50_000n, 400n)
  const refunds = await signed()
  feeRate = 20_000n
  const tx = await send(refunds)
  const { inputs, outputs } = sent()
  expect(inputs.slice(0, 2).map(({ outpoint }) => outpoint)).toEqual(refunds.map(({ deposit: id }) => id))
  expect(inputs).toHaveLength(3)
  expect(outputs.slice(0, 2).map(({ amount }) => amount)).toEqual(refunds.map(({ pays }) => pays))
  expect(outputs[2]?.script).toEqual(scriptOfAddress(wallet(), regtest))
  const { fee, vsize } = await scene.unminedFee(tx)
  expect(outputs[2]?.amount).toBe(50_000n + 400n - fee)
  expect(fee).toBeGreaterThanOrEqual((vsize * feeRate) / 1_000n)
  expect(fee).toBeLessThanOrEqual(((vsize + 1n) * feeRate) / 1_000n)
  expect(await scene.mempool()).toEqual([tx])
  scene.node.mine(1)
  expect((await scene.look(terms)).phase).toBe('refunded')
  expect(await send(refunds)).toBe(tx)
})

it('goes out as agreed where the wallet has no coin that is mined, free and large enough', async () => {
  await deposit(150_000n)
  const refunds = await signed()
  feeRate = 20_000n
  await giveRelay(1_000n)
  await scene.node.faucet(wallet(), 90_000n)
  const tx = await send(refunds)
  expect(sent().inputs).toHaveLength(1)
  expect((await scene.unminedFee(tx)).fee).toBe(200n)
})

it('leaves unmined change alone, which may still be undone', async () => {
  await deposit(150_000n)
  await giveRelay(90_000n)
  const refunds = await signed()
  await scene.client.initiate({ ...scene.terms(20_000n), initiator: scene.client.identityOf(relay) }, box.open('elsewhere'))
  expect(await scene.client.balance(chain.nativeAsset, wallet())).toBeGreaterThan(60_000n)
  feeRate = 20_000n
  await send(refunds)
  expect(sent().inputs).toHaveLength(1)
})

it('leaves coins alone that another wanted action has a claim on', async () => {
  await giveRelay(90_000n)
  await scene.client.initiate({ ...scene.terms(50_000n), initiator: scene.client.identityOf(relay) }, box.open('elsewhere'))
  const [claimed] = await scene.mempool()
  // The node has forgotten it; the claim stands.
  scene.node.mine(1)
  scene.node.reorg(1, { dropTransactions: true })
  await deposit(150_000n)
  const refunds = await signed()
  feeRate = 20_000n
  await send(refunds)
  expect(box.attempts('elsewhere').map(({ tx }) => tx)).toEqual([claimed])
  expect(sent().inputs).toHaveLength(1)
})

it('is raised when it waits too long, out of the same coin, and stays as it is where there is none', async () => {
  await deposit(150_000n)
  const refunds = await signed()
  const first = await send(refunds)
  feeRate = 10_000n
  dueAgain()
  expect(await send(refunds)).toBe(first)
  await scene.node.faucet(wallet(), 50_000n)
  mineWithout(first)
  expect(await send(refunds)).toBe(first)
  dueAgain()
  const second = await send(refunds)
  expect(second).not.toBe(first)
  expect(await scene.mempool()).toEqual([second])
  const coin = sent().inputs[1]?.outpoint
  feeRate = 15_000n
  dueAgain()
  const third = await send(refunds)
  expect(await scene.mempool()).toEqual([third])
  expect(sent().inputs[1]?.outpoint).toBe(coin)
  const { fee, vsize } = await scene.unminedFee(third)
  expect(fee).toBeGreaterThanOrEqual(vsize * 15n)
  scene.node.mine(1)
  expect((await scene.look(terms)).phase).toBe('refunded')
})

it('never pays more than half of what is given back, however high the rate', async () => {
  await deposit(4_000n)
  await giveRelay(500_000n)
  const refunds = await signed()
  feeRate = 900_000n
  const tx = await send(refunds)
  expect((await scene.unminedFee(tx)).fee).toBe(2_000n)
})

it('does not outbid what its receiver pays for it: that is enough, and would cost the wallet far more than the market asks', async () => {
  await deposit(150_000n)
  await giveRelay(500_000n)
  const refunds = await signed()
  const first = await send(refunds)
  const script = scriptOfAddress(home(), regtest)
  const child = signWalletPayment(scene.solver, [{ outpoint: `${first}:0`, amount: 149_800n }], [{ amount: 119_800n, script }])
  await scene.rpc('sendrawtransaction', child.raw)
  feeRate = 5_000n
  dueAgain()
  expect(await send(refunds)).toBe(first)
  expect((await scene.mempool()).toSorted()).toEqual([first, child.txid].toSorted())
  expect(box.attempts('refund')).toHaveLength(1)
})

it('takes further deposits along when it is raised', async () => {
  await deposit(150_000n)
  await giveRelay(50_000n)
  const early = await signed()
  const first = await send(early)
  await scene.node.faucet(scene.client.swapId(terms), 60_000n)
  mineWithout(first)
  const all = await signed()
  expect(all).toHaveLength(2)
  expect(await send(all)).toBe(first)
  feeRate = 10_000n
  dueAgain()
  await send(all)
  expect(sent().inputs).toHaveLength(3)
  scene.node.mine(1)
  expect((await scene.look(terms)).phase).toBe('refunded')
})

it('is not replaced while another wanted action spends its change', async () => {
  await deposit(150_000n)
  await giveRelay(50_000n)
  const refunds = await signed()
  feeRate = 5_000n
  const first = await send(refunds)
  const raw = box.attempts('refund')[0]?.raw ?? ''
  await box.open('elsewhere').record({ tx: 'cc'.repeat(32), raw, slots: [`${first}:1`], feeRate: 5_000n })
  feeRate = 30_000n
  dueAgain()
  expect(await send(refunds)).toBe(first)
  box.abandon('elsewhere')
  const second = await send(refunds)
  expect(second).not.toBe(first)
  expect(await scene.mempool()).toEqual([second])
})

it('says so when the node does not take it at the agreed fee and nothing better can be had', async () => {
  await deposit(150_000n)
  const refunds = await signed(50n)
  await expect(send(refunds)).rejects.toThrow(failure('would-fail', /refused/))
  await expect(send(refunds)).rejects.toThrow(failure('would-fail', /agreed/))
  expect(box.attempts('refund')).toHaveLength(1)
  expect(await scene.mempool()).toEqual([])
  await giveRelay(50_000n)
  dueAgain()
  const tx = await send(refunds)
  expect(await scene.mempool()).toEqual([tx])
  expect(sent().inputs).toHaveLength(2)
})
