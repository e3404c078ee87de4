// Tests instant refunds whose agreed fee is too low now: a coin of the wallet pays the difference.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createMemoryOutbox, type MemoryOutbox, type OpenOutbox, opened } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { SignedInstantRefund } from '@tandem/protocol/order.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import { createCoreBackend } from '../nodes/core-rpc.ts'
import { parseTransaction } from '../script/transaction.ts'
import { chain, type Fixture, failure, startFixture } from '../wallet/manual-mining.fixture.ts'
import { signTogether } from './cosign.fixture.ts'
import { sendInstantRefund } from './send-instant-refund.ts'

let fixture: Fixture
let terms: HtlcTerms
let relay: TestSigner
let box: MemoryOutbox
let feeRate: bigint

beforeEach(async () => {
  fixture = await startFixture('rpc')
  terms = fixture.terms(200_000n)
  relay = randomSigner()
  box = createMemoryOutbox(relay)
  feeRate = 1_000n
})
afterEach(() => fixture.node.close())

const wallet = () => fixture.client.addressOf(relay)
const solverAddress = () => fixture.client.addressOf(fixture.solver)

async function deposit(...amounts: readonly bigint[]): Promise<void> {
  for (const amount of amounts) await fixture.node.faucet(fixture.client.swapId(terms), amount)
  fixture.node.mine(1)
}

async function fundRelay(...amounts: readonly bigint[]): Promise<void> {
  for (const amount of amounts) await fixture.node.faucet(wallet(), amount)
  fixture.node.mine(1)
}

async function signed(fee = 200n): Promise<readonly SignedInstantRefund[]> {
  const { deposits } = await fixture.swapState(terms)
  const refunds = deposits.map(({ id, amount }) => ({ deposit: id, amount, to: solverAddress(), pays: amount - fee }))
  return signTogether(fixture.client, terms, refunds, { initiator: fixture.solver, redeemer: fixture.user })
}

async function send(refunds: readonly SignedInstantRefund[], key = 'refund', outbox = box.open(key)): Promise<string> {
  const backend = createCoreBackend(fixture.node.rpcUrl, regtest)
  const blocks = createBlocksSince(backend)
  return sendInstantRefund({ chain, network: regtest, backend, ...opened(outbox), feeRate: async () => feeRate, blocks }, terms, refunds)
}

const sent = () => parseTransaction(box.attempts('refund').at(-1)?.raw ?? '')
/** The node drops this transaction and keeps the other unconfirmed ones. */
function mineWithout(tx: string): void {
  fixture.node.mine(1)
  fixture.node.reorg(1, { dropTransactions: [tx], mineReturned: true })
}
const dueAgain = () => box.passSeconds(chain.feeBumpSeconds)

it('is sent with the agreed fee while that is enough, with any balance of the wallet', async () => {
  await deposit(150_000n)
  await fundRelay(50_000n)
  const refunds = await signed()
  const tx = await send(refunds)
  expect(sent().inputs).toHaveLength(1)
  expect(await fixture.unminedFee(tx)).toEqual({ fee: 200n, vsize: 100n })
})

it('costs few requests for many deposits, and a repeat asks for none of them', async () => {
  await deposit(...Array.from({ length: 24 }, () => 150_000n))
  const refunds = await signed()
  let requests = 0
  const count = () => {
    requests += 1
  }
  subscribe('http.client.request.start', count)
  try {
    const tx = await send(refunds)
    expect(requests).toBeLessThanOrEqual(10)
    requests = 0
    expect(await send(refunds)).toBe(tx)
    expect(requests).toBeLessThanOrEqual(8)
    fixture.node.mine(1)
    requests = 0
    expect(await send(refunds)).toBe(tx)
    expect(requests).toBeLessThanOrEqual(8)
  } finally {
    unsubscribe('http.client.request.start', count)
  }
})

it('adds one coin that pays the remaining fee, after the deposits, with change to the wallet', async () => {
  await deposit(150_000n, 60_000n)
  await fundRelay(80_000n, 50_000n, 400n)
  const refunds = await signed()
  feeRate = 20_000n
  const tx = await send(refunds)
  const { inputs, outputs } = sent()
  expect(inputs.slice(0, 2).map(({ outpoint }) => outpoint)).toEqual(refunds.map(({ deposit: id }) => id))
  expect(inputs).toHaveLength(3)
  expect(outputs.slice(0, 2).map(({ amount }) => amount)).toEqual(refunds.map(({ pays }) => pays))
  expect(outputs[2]?.script).toEqual(scriptOfAddress(wallet(), regtest))
  const { fee, vsize } = await fixture.unminedFee(tx)
  expect(outputs[2]?.amount).toBe(50_000n + 400n - fee)
  expect(fee).toBeGreaterThanOrEqual((vsize * feeRate) / 1_000n)
  expect(fee).toBeLessThanOrEqual(((vsize + 1n) * feeRate) / 1_000n)
  expect(await fixture.mempool()).toEqual([tx])
  fixture.node.mine(1)
  expect((await fixture.swapState(terms)).phase).toBe('refunded')
  expect(await send(refunds)).toBe(tx)
})

it('asks no node for anything while it holds the key, neither for the first attempt nor for a fee bump', async () => {
  await deposit(150_000n)
  await fundRelay(80_000n, 50_000n)
  const refunds = await signed()
  let isHeld = false
  let holds = 0
  const asked: string[] = []
  const note = () => {
    if (isHeld) asked.push(`in hold ${holds}`)
  }
  const watched = (): OpenOutbox => {
    const outbox = box.open('refund')
    return {
      ...outbox,
      withKey: (work) =>
        outbox.withKey(async (held) => {
          isHeld = true
          holds += 1
          try {
            return await work(held)
          } finally {
            isHeld = false
          }
        }),
    }
  }
  subscribe('http.client.request.start', note)
  try {
    for (const rate of [20_000n, 40_000n]) {
      feeRate = rate
      await send(refunds, 'refund', watched())
      expect(sent().inputs).toHaveLength(2)
      dueAgain()
    }
  } finally {
    unsubscribe('http.client.request.start', note)
  }
  expect(box.attempts('refund')).toHaveLength(2)
  expect([holds, asked]).toEqual([2, []])
})

it('is sent with the agreed fee where the wallet has no coin that is mined, free and large enough', async () => {
  await deposit(150_000n)
  const refunds = await signed()
  feeRate = 20_000n
  await fundRelay(1_000n)
  await fixture.node.faucet(wallet(), 90_000n)
  const tx = await send(refunds)
  expect(sent().inputs).toHaveLength(1)
  expect((await fixture.unminedFee(tx)).fee).toBe(200n)
})

it('does not use unconfirmed change, which may still be replaced', async () => {
  await deposit(150_000n)
  await fundRelay(90_000n)
  const refunds = await signed()
  await fixture.client.initiate({ ...fixture.terms(20_000n), initiator: fixture.client.identityOf(relay) }, box.open('elsewhere'))
  expect(await fixture.client.balance(chain.nativeAsset, wallet())).toBeGreaterThan(60_000n)
  feeRate = 20_000n
  await send(refunds)
  expect(sent().inputs).toHaveLength(1)
})

it('does not use coins of another wanted action', async () => {
  await fundRelay(90_000n)
  await fixture.client.initiate({ ...fixture.terms(50_000n), initiator: fixture.client.identityOf(relay) }, box.open('elsewhere'))
  const [claimed] = await fixture.mempool()
  // The node has dropped it; the action still uses the coin.
  fixture.node.mine(1)
  fixture.node.reorg(1, { dropTransactions: true })
  await deposit(150_000n)
  const refunds = await signed()
  feeRate = 20_000n
  await send(refunds)
  expect(box.attempts('elsewhere').map(({ tx }) => tx)).toEqual([claimed])
  expect(sent().inputs).toHaveLength(1)
})

it('bumps its fee from the same coin when it waits too long, and stays as it is without one', async () => {
  await deposit(150_000n)
  const refunds = await signed()
  const first = await send(refunds)
  feeRate = 10_000n
  dueAgain()
  expect(await send(refunds)).toBe(first)
  await fixture.node.faucet(wallet(), 50_000n)
  mineWithout(first)
  expect(await send(refunds)).toBe(first)
  dueAgain()
  const second = await send(refunds)
  expect(second).not.toBe(first)
  expect(await fixture.mempool()).toEqual([second])
  const coin = sent().inputs[1]?.outpoint
  feeRate = 15_000n
  dueAgain()
  const third = await send(refunds)
  expect(await fixture.mempool()).toEqual([third])
  expect(sent().inputs[1]?.outpoint).toBe(coin)
  const { fee, vsize } = await fixture.unminedFee(third)
  expect(fee).toBeGreaterThanOrEqual(vsize * 15n)
  fixture.node.mine(1)
  expect((await fixture.swapState(terms)).phase).toBe('refunded')
})

it('never pays more than half of the refund in fees, however high the rate', async () => {
  await deposit(4_000n)
  await fundRelay(500_000n)
  const refunds = await signed()
  feeRate = 900_000n
  const tx = await send(refunds)
  expect((await fixture.unminedFee(tx)).fee).toBe(2_000n)
})

it('does not outbid the child of its payee: the child pays enough, and outbidding it would cost the wallet far more than the market rate', async () => {
  await deposit(150_000n)
  await fundRelay(500_000n)
  const refunds = await signed()
  const first = await send(refunds)
  const script = scriptOfAddress(solverAddress(), regtest)
  const child = signWalletPayment(fixture.solver, [{ outpoint: `${first}:0`, amount: 149_800n }], [{ amount: 119_800n, script }])
  await fixture.rpc('sendrawtransaction', child.raw)
  feeRate = 5_000n
  dueAgain()
  expect(await send(refunds)).toBe(first)
  expect((await fixture.mempool()).toSorted()).toEqual([first, child.txid].toSorted())
  expect(box.attempts('refund')).toHaveLength(1)
})

it('adds further deposits with a fee bump', async () => {
  await deposit(150_000n)
  await fundRelay(50_000n)
  const early = await signed()
  const first = await send(early)
  await fixture.node.faucet(fixture.client.swapId(terms), 60_000n)
  mineWithout(first)
  const all = await signed()
  expect(all).toHaveLength(2)
  expect(await send(all)).toBe(first)
  feeRate = 10_000n
  dueAgain()
  await send(all)
  expect(sent().inputs).toHaveLength(3)
  fixture.node.mine(1)
  expect((await fixture.swapState(terms)).phase).toBe('refunded')
})

it('is not replaced while another wanted action spends its change', async () => {
  await deposit(150_000n)
  await fundRelay(50_000n)
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
  expect(await fixture.mempool()).toEqual([second])
})

it('fails when the node refuses the agreed fee and no coin can bump it', async () => {
  await deposit(150_000n)
  const refunds = await signed(50n)
  await expect(send(refunds)).rejects.toThrow(failure('would-fail', /refused/))
  await expect(send(refunds)).rejects.toThrow(failure('would-fail', /agreed/))
  expect(box.attempts('refund')).toHaveLength(1)
  expect(await fixture.mempool()).toEqual([])
  await fundRelay(50_000n)
  dueAgain()
  const tx = await send(refunds)
  expect(await fixture.mempool()).toEqual([tx])
  expect(sent().inputs).toHaveLength(2)
})
