// Tests CPFP: how much a child pays, and when there is none.
import { p2wpkh } from '@scure/btc-signer'
import { createMemoryOutbox, opened } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { describe, expect, it } from 'vitest'
import { rateOf } from '../../terms/wallet/fees.ts'
import { signWalletPayment } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { createBlocksSince } from '../blocks/blocks-since.ts'
import type { HeldExecution, KnownAttempt } from '../execution.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { parseTransaction } from '../script/transaction.ts'
import { buildChild, CHILD_VSIZE, findUnconfirmedChain } from './child-pays.ts'
import { chain } from './manual-mining.fixture.ts'

const signer = randomSigner()
const ownScript = p2wpkh(signer.publicKey).script
const elsewhere = p2wpkh(randomSigner().publicKey).script

function attempt(amounts: readonly { amount: bigint; script: Uint8Array }[], fee: bigint, coin = `${'ab'.repeat(32)}:0`): KnownAttempt {
  const total = amounts.reduce((sum, { amount }) => sum + amount, fee)
  const { txid, raw } = signWalletPayment(signer, [{ outpoint: coin, amount: total }], amounts)
  const transaction = parseTransaction(raw)
  return { tx: txid, raw, slots: [coin], feeRate: rateOf(fee, transaction.vsize), at: 0n, transaction }
}

function execution(outbox = createMemoryOutbox(signer).open('action'), waiting: readonly KnownAttempt[] = []): HeldExecution {
  const places: Pick<BitcoinBackend, 'placeOf' | 'tip'> = {
    placeOf: async (transaction) => (waiting.some(({ tx }) => tx === transaction.txid()) ? 'mempool' : null),
    tip: async () => ({ height: 1n, hash: 'aa'.repeat(32), parentHash: 'bb'.repeat(32), time: 0n }),
  }
  // The code under test calls nothing else of a node.
  const backend = places as BitcoinBackend
  return { chain, network: regtest, backend, ...opened(outbox), signer, feeRate: async () => 1_000n, blocks: createBlocksSince(backend) }
}

const redeem = attempt([{ amount: 100_000n, script: ownScript }], 110n)
const coin = { outpoint: `${redeem.tx}:0`, amount: 100_000n }
const alone = { members: [redeem], child: null, coin }
const feeOfChild = async (live: KnownAttempt, family: Parameters<typeof buildChild>[2], feeRate: bigint) =>
  (await buildChild(execution(), live, family, feeRate))?.fee ?? null

describe('the fee of a child', () => {
  it('brings both to the wanted rate', async () => {
    const vsize = redeem.transaction.vsize + CHILD_VSIZE
    expect(await feeOfChild(redeem, alone, 20_000n)).toBe(vsize * 20n - 110n)
  })

  it('is a quarter above the last rate, if the market has not moved', async () => {
    const vsize = redeem.transaction.vsize + CHILD_VSIZE
    const fee = (await feeOfChild(redeem, alone, 1_000n)) ?? 0n
    expect(((fee + 110n) * 1000n) / vsize).toBeGreaterThanOrEqual(1_250n)
    expect(((fee + 110n) * 1000n) / vsize).toBeLessThan(1_300n)
  })

  it('outbids an earlier child', async () => {
    const child = attempt([{ amount: 99_000n, script: ownScript }], 1_000n, coin.outpoint)
    const fee = (await feeOfChild(redeem, { ...alone, child }, 1_000n)) ?? 0n
    expect(fee).toBeGreaterThanOrEqual(1_000n + CHILD_VSIZE)
    expect(rateOf(fee, CHILD_VSIZE)).toBeGreaterThanOrEqual((child.feeRate * 125n) / 100n)
  })

  it('never exceeds half of the amount, together with the fees before', async () => {
    expect(await feeOfChild(redeem, alone, 900_000n)).toBe(100_110n / 2n - 110n)
    const small = attempt([{ amount: 1_000n, script: ownScript }], 110n)
    const family = { members: [small], child: null, coin: { outpoint: `${small.tx}:0`, amount: 1_000n } }
    expect(await feeOfChild(small, family, 900_000n)).toBe(1_110n / 2n - 110n)
    const tiny = attempt([{ amount: 300n, script: ownScript }], 110n)
    expect(await feeOfChild(tiny, { members: [tiny], child: null, coin: { outpoint: `${tiny.tx}:0`, amount: 300n } }, 900_000n)).toBeNull()
  })

  it('is bounded by the amount paid to others, and stays near the market rate', async () => {
    const payment = attempt(
      [
        { amount: 2_000n, script: elsewhere },
        { amount: 5_000_000n, script: ownScript },
      ],
      141n,
    )
    const family = { members: [payment], child: null, coin: { outpoint: `${payment.tx}:1`, amount: 5_000_000n } }
    expect(await feeOfChild(payment, family, 900_000n)).toBe(1_000n - 141n)
    const dear = { ...payment, feeRate: 2_500n }
    expect(await feeOfChild(dear, { ...family, members: [dear] }, 1_000n)).toBeNull()
    expect(await feeOfChild(dear, { ...family, members: [dear] }, 1_100n)).not.toBeNull()
  })
})

describe('a child is possible', () => {
  it('only for a transaction with an output of ours', async () => {
    const refund = attempt([{ amount: 100_000n, script: elsewhere }], 110n)
    const family = await findUnconfirmedChain(execution(), refund)
    expect(family.coin).toBeNull()
    expect(await buildChild(execution(), refund, family, 20_000n)).toBeNull()
  })

  it('only with a coin that no wanted payment uses, broadcast or not', async () => {
    const claim = attempt([{ amount: 50_000n, script: elsewhere }], 110n, coin.outpoint)
    const box = createMemoryOutbox(signer)
    await box.open('payment').record(claim)
    expect((await findUnconfirmedChain(execution(box.open('action')), redeem)).coin).toBeNull()
    box.abandon('payment')
    expect((await findUnconfirmedChain(execution(box.open('action')), redeem)).coin).toEqual(coin)
  })

  it('with unconfirmed parents of ours, which the child pays for too', async () => {
    const parent = attempt([{ amount: 200_000n, script: ownScript }], 110n)
    const live = attempt([{ amount: 100_000n, script: ownScript }], 110n, `${parent.tx}:0`)
    const box = createMemoryOutbox(signer)
    await box.open('parent').record(parent)
    const open = execution(box.open('action'), [parent, live])
    const family = await findUnconfirmedChain(open, live)
    expect(family.members.map(({ tx }) => tx)).toEqual([parent.tx, live.tx])
    const vsize = parent.transaction.vsize + live.transaction.vsize + CHILD_VSIZE
    expect((await buildChild(open, live, family, 20_000n))?.fee).toBe(vsize * 20n - 220n)
  })
})
