/** States the requirements on redeems and their fee bumps, for any node of the family. */
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { randomSigner } from '../bitcoin.fixture.ts'
import { redeemCosigned } from '../cosign/cosign.fixture.ts'
import { isKeyPath } from '../execute.ts'
import { parseTransaction } from '../script/transaction.ts'
import type { FundedOrder, SpendFixture } from './spend.fixture.ts'
import { batchRedeem } from './spend.ts'

const outpointsOf = (...orders: readonly FundedOrder[]) => orders.flatMap(({ deposits }) => deposits.map(({ id }) => id))
const totalOf = (...orders: readonly FundedOrder[]) =>
  orders.flatMap(({ deposits }) => deposits).reduce((sum, { amount }) => sum + amount, 0n)

export function describeSpends(name: string, { replaces }: Pick<BitcoinNetwork, 'replaces'>, start: () => Promise<SpendFixture>): void {
  describe(name, () => {
    let fixture: SpendFixture
    beforeAll(async () => {
      fixture = await start()
    })
    afterAll(() => fixture?.close())

    const attempts = (key: string) => fixture.outbox.attempts(key)
    const parsed = (key: string, index = -1) => parseTransaction(attempts(key).at(index)?.raw ?? '')
    /** Fees are compared in satoshis per 1000 vB, rounded down. */
    const ancestorRate = async (tx: string) => {
      const { ancestorFee, ancestorVsize } = await fixture.entry(tx)
      return (ancestorFee * 1000n) / ancestorVsize
    }
    const ownRate = async (tx: string) => {
      const { fee, vsize } = await fixture.entry(tx)
      return (fee * 1000n) / vsize
    }
    const clear = async () => {
      await fixture.chain.mine(1)
      expect(await fixture.mempool()).toEqual([])
    }

    describe('redeems of several HTLCs', () => {
      it('are one transaction with one output to the own wallet', async () => {
        const orders = await fixture.fund([120_000n, 80_000n], [150_000n], [90_000n])
        const before = await fixture.walletBalance()
        const tx = await fixture.redeem('several', orders)
        expect(await fixture.mempool()).toEqual([tx])
        const { inputs, outputs, vsize } = parsed('several')
        expect(inputs.map(({ outpoint }) => outpoint)).toEqual(outpointsOf(...orders))
        const { fee } = await fixture.entry(tx)
        expect(outputs.map(({ amount }) => amount)).toEqual([totalOf(...orders) - fee])
        // The size is 10.5 vB, 41 and 59.75 for each input, and 31 for the output.
        expect(vsize).toBe(445n)
        expect(await fixture.redeem('several', orders)).toBe(tx)
        await clear()
        expect(await fixture.walletBalance()).toBe(before + totalOf(...orders) - fee)
        expect(await fixture.redeem('several', orders)).toBe(tx)
        expect(attempts('several')).toHaveLength(1)
      })

      if (replaces)
        it('get one fee bump together, with all their inputs', async () => {
          const orders = await fixture.fund([120_000n], [150_000n])
          const slow = await fixture.redeem('raised', orders)
          const before = await fixture.entry(slow)
          fixture.letWait()
          const fast = await fixture.redeem('raised', orders)
          expect(await fixture.mempool()).toEqual([fast])
          expect(parsed('raised').inputs.map(({ outpoint }) => outpoint)).toEqual(outpointsOf(...orders))
          const after = await fixture.entry(fast)
          expect(after.fee).toBeGreaterThanOrEqual(before.fee + after.vsize)
          await clear()
        })

      if (replaces)
        it('leave out deposits that somebody else spent, and outbid an unconfirmed conflicting transaction in a separate one', async () => {
          const [free, contested, taken] = await fixture.fund([120_000n], [150_000n, 140_000n], [90_000n])
          if (free === undefined || contested === undefined || taken === undefined) throw new Error('expected three funded orders')
          await fixture.chain.mine(6)
          const refund = ({ terms, deposits, initiator }: FundedOrder) =>
            fixture.client.refund(terms, { deposits, to: null }, createMemoryOutbox(initiator).open('refund'))
          await refund(taken)
          await clear()
          let conflictingFees = 0n
          for (const deposit of contested.deposits) {
            const conflict = await refund({ ...contested, deposits: [deposit] })
            conflictingFees += (await fixture.entry(conflict)).fee
          }
          const tx = await fixture.redeem('mixed', [taken, contested, free])
          const [first, second] = attempts('mixed')
          expect(first?.tx).toBe(tx)
          expect(first?.slots).toEqual(outpointsOf(free))
          expect(second?.slots).toEqual(outpointsOf(contested))
          expect(await fixture.mempool()).toEqual([tx, second?.tx].sort())
          const { fee, vsize } = await fixture.entry(second?.tx ?? '')
          expect(fee).toBeGreaterThanOrEqual(conflictingFees + vsize)
          await clear()
          await expect(fixture.redeem('late', [taken])).rejects.toThrow(expect.objectContaining({ kind: 'superseded' }))
        })

      it('that come later get their own transaction while others are unconfirmed', async () => {
        const [early, late] = await fixture.fund([120_000n], [150_000n])
        if (early === undefined || late === undefined) throw new Error('expected two funded orders')
        const tx = await fixture.redeem('growing', [early])
        expect(await fixture.redeem('growing', [early, late])).toBe(tx)
        expect(attempts('growing').map(({ slots }) => slots)).toEqual([outpointsOf(early), outpointsOf(late)])
        expect(await fixture.mempool()).toEqual(
          attempts('growing')
            .map((attempt) => attempt.tx)
            .sort(),
        )
        await clear()
      })

      it('are rebroadcast after a reorg', async () => {
        const orders = await fixture.fund([120_000n], [150_000n])
        await fixture.chain.mine(1)
        const tx = await fixture.redeem('lost', orders)
        await clear()
        await fixture.chain.reorg(1, { drop: true })
        expect(await fixture.mempool()).not.toContain(tx)
        expect(await fixture.redeem('lost', orders)).toBe(tx)
        expect(await fixture.mempool()).toContain(tx)
        expect(attempts('lost')).toHaveLength(1)
        await clear()
      })
    })

    if (replaces)
      describe('a child pays', () => {
        it('for a batch that other actions need too: a replacement would leave out deposits', async () => {
          const orders = await fixture.fund([120_000n], [150_000n])
          const [, second] = orders
          if (second === undefined) throw new Error('expected two funded orders')
          const before = await fixture.walletBalance()
          const batch = await fixture.redeem('first', orders)
          expect(await fixture.redeem('second', [second])).toBe(batch)
          expect(attempts('second')).toEqual([])
          const rate = await ownRate(batch)

          fixture.letWait()
          expect(await fixture.redeem('second', [second])).toBe(batch)
          const [child] = attempts('second')
          expect(child?.slots).toEqual([`${batch}:0`])
          expect(await fixture.mempool()).toEqual([batch, child?.tx].sort())
          expect(await ancestorRate(child?.tx ?? '')).toBeGreaterThan((rate * 124n) / 100n)

          expect(await fixture.redeem('first', orders)).toBe(batch)
          expect(await fixture.redeem('second', [second])).toBe(batch)
          expect(await fixture.mempool()).toHaveLength(2)
          fixture.letWait()
          // The first action bumps the fee for all.
          expect(await fixture.redeem('first', orders)).toBe(batch)
          expect(await fixture.redeem('second', [second])).toBe(batch)
          const next = attempts('first').at(-1)
          expect(attempts('second')).toHaveLength(1)
          expect(next?.slots).toEqual(child?.slots)
          expect(await fixture.mempool()).toEqual([batch, next?.tx].sort())
          const { ancestorFee } = await fixture.entry(next?.tx ?? '')
          await clear()
          expect(await fixture.redeem('second', [second])).toBe(batch)
          expect(await fixture.walletBalance()).toBe(before + totalOf(...orders) - ancestorFee)
        })

        it('where the node refuses a replacement, and gets a fee bump itself', async () => {
          const [order] = await fixture.fund([120_000n])
          if (order === undefined) throw new Error('no order was funded')
          const { broadcast } = fixture.execution('stubborn').backend
          // Nodes refuse so without full RBF, or with too many descendants.
          const answers = {
            broadcast: async (raw: string) => {
              const isReplacement =
                attempts('stubborn').length > 1 && outpointsOf(order).includes(parseTransaction(raw).inputs[0]?.outpoint ?? '')
              return isReplacement ? ({ accepted: false, reason: 'txn-mempool-conflict (-26)' } as const) : broadcast(raw)
            },
          }
          const redeem = () => batchRedeem(fixture.execution('stubborn', { answers }), [order], null)
          const tx = await redeem()
          const rate = await ownRate(tx)
          fixture.letWait()
          expect(await redeem()).toBe(tx)
          const [, refused, child] = attempts('stubborn')
          expect(refused?.slots).toEqual(outpointsOf(order))
          expect(child?.slots).toEqual([`${tx}:0`])
          expect(await fixture.mempool()).toEqual([tx, child?.tx].sort())
          expect(await ancestorRate(child?.tx ?? '')).toBeGreaterThan((rate * 124n) / 100n)
          fixture.letWait()
          expect(await redeem()).toBe(tx)
          const raised = attempts('stubborn').at(-1)
          expect(attempts('stubborn')).toHaveLength(4)
          expect(raised?.slots).toEqual(child?.slots)
          expect(await fixture.mempool()).toEqual([tx, raised?.tx].sort())
          expect(await ancestorRate(raised?.tx ?? '')).toBeGreaterThan((rate * 154n) / 100n)
          await clear()
        })

        it('for a payment whose change another payment spends', async () => {
          const payer = randomSigner()
          const outbox = createMemoryOutbox(payer)
          await fixture.chain.pay(fixture.client.addressOf(payer), 1_000_000n)
          await fixture.chain.mine(1)
          const terms = (amount: bigint) => ({
            asset: fixture.chain.chain.nativeAsset,
            initiator: fixture.client.identityOf(payer),
            redeemer: fixture.client.identityOf(fixture.solver),
            amount,
            secretHash: hashSecret(createSecret()),
            timelock: 20n,
          })
          const [one, two] = [terms(400_000n), terms(200_000n)]
          const parent = await fixture.client.initiate(one, outbox.open('parent'))
          const child = await fixture.client.initiate(two, outbox.open('child'))
          expect(outbox.attempts('child')[0]?.slots).toEqual([`${parent}:1`])
          const rate = await ancestorRate(child)
          outbox.passSeconds(fixture.chain.chain.feeBumpSeconds)
          expect(await fixture.client.initiate(one, outbox.open('parent'))).toBe(parent)
          const helper = outbox.attempts('parent')[1]
          expect(helper?.slots).toEqual([`${child}:1`])
          expect(await fixture.mempool()).toEqual([parent, child, helper?.tx].sort())
          expect(await ancestorRate(helper?.tx ?? '')).toBeGreaterThan((rate * 124n) / 100n)
          // The child's own action finds the fee bump, and bumps again only when it is due.
          expect(await fixture.client.initiate(two, outbox.open('child'))).toBe(child)
          expect(outbox.attempts('child')).toHaveLength(1)
          outbox.passSeconds(fixture.chain.chain.feeBumpSeconds)
          expect(await fixture.client.initiate(two, outbox.open('child'))).toBe(child)
          expect(outbox.attempts('child')[1]?.slots).toEqual(helper?.slots)
          expect(await fixture.mempool()).toEqual([parent, child, outbox.attempts('child')[1]?.tx].sort())
          await clear()
          expect(await fixture.client.initiate(one, outbox.open('parent'))).toBe(parent)
          expect(await fixture.client.initiate(two, outbox.open('child'))).toBe(child)
        })
      })

    if (!replaces)
      describe('where nodes do not support RBF', () => {
        it('each fee bump is one more child', async () => {
          const orders = await fixture.fund([120_000n], [150_000n])
          const before = await fixture.walletBalance()
          const batch = await fixture.redeem('first-seen', orders)
          let rate = await ownRate(batch)
          for (let raises = 1; raises <= 3; raises++) {
            fixture.letWait()
            for (let i = 0; i < 2; i++) expect(await fixture.redeem('first-seen', orders)).toBe(batch)
            const family = attempts('first-seen').map((attempt) => attempt.tx)
            expect(await fixture.mempool()).toEqual(family.toSorted())
            expect(family).toHaveLength(raises + 1)
            expect(attempts('first-seen')[raises]?.slots).toEqual([`${family[raises - 1]}:0`])
            const raised = await ancestorRate(family[raises] ?? '')
            expect(raised).toBeGreaterThan((rate * 124n) / 100n)
            rate = raised
          }
          const { ancestorFee } = await fixture.entry(attempts('first-seen')[3]?.tx ?? '')
          await clear()
          expect(await fixture.walletBalance()).toBe(before + totalOf(...orders) - ancestorFee)
          expect(await fixture.redeem('first-seen', orders)).toBe(batch)
        })

        it('a deposit that somebody else spends is given up, and the others are redeemed', async () => {
          const [free, contested] = await fixture.fund([120_000n], [150_000n])
          if (free === undefined || contested === undefined) throw new Error('expected two funded orders')
          await fixture.chain.mine(6)
          const { terms, deposits, initiator } = contested
          const conflict = await fixture.client.refund(terms, { deposits, to: null }, createMemoryOutbox(initiator).open('refund'))
          const tx = await fixture.redeem('first-come', [contested, free])
          expect(await fixture.mempool()).toEqual([conflict, tx].sort())
          expect(attempts('first-come').map(({ slots }) => slots)).toEqual([outpointsOf(free)])
          await clear()
        })
      })

    describe('a co-signed redeem', () => {
      if (replaces)
        it('is sent first, and replaced by one that we sign alone when it is slow', async () => {
          const orders = await fixture.fund([120_000n])
          const cosigned = await redeemCosigned(fixture.client, orders, fixture.solver)
          const tx = await fixture.redeem('cosigned', orders, { cosigned })
          expect(tx).toBe(parseTransaction(cosigned).txid())
          expect(attempts('cosigned').map(({ raw }) => raw)).toEqual([cosigned])
          const { fee } = await fixture.entry(tx)
          expect(await fixture.redeem('cosigned', orders, { cosigned })).toBe(tx)
          fixture.letWait()
          const alone = await fixture.redeem('cosigned', orders, { cosigned })
          expect(await fixture.mempool()).toEqual([alone])
          expect(isKeyPath(parsed('cosigned'))).toBe(false)
          expect((await fixture.entry(alone)).fee).toBeGreaterThan(fee)
          await clear()
        })

      it('gets a child when it is large: CPFP costs less than signing alone', async () => {
        const orders = await fixture.fund([120_000n], [150_000n], [90_000n, 80_000n])
        const cosigned = await redeemCosigned(fixture.client, orders, fixture.solver)
        const tx = await fixture.redeem('large', orders, { cosigned })
        fixture.letWait()
        expect(await fixture.redeem('large', orders, { cosigned })).toBe(tx)
        expect(attempts('large')[1]?.slots).toEqual([`${tx}:0`])
        expect(await fixture.mempool()).toEqual(
          attempts('large')
            .map((attempt) => attempt.tx)
            .sort(),
        )
        await clear()
      })

      it('is not needed: if it is refused or an input was spent, the others are redeemed by script path', async () => {
        const orders = await fixture.fund([120_000n], [150_000n])
        const [first] = orders
        if (first === undefined) throw new Error('expected two funded orders')
        const cosigned = await redeemCosigned(fixture.client, orders, fixture.solver)
        const alone = await fixture.redeem('forged', [first], { cosigned })
        expect(parsed('forged').inputs.map(({ outpoint }) => outpoint)).toEqual(outpointsOf(first))
        await clear()
        const second = await fixture.redeem('forged', orders, { cosigned })
        expect(second).not.toBe(alone)
        expect(attempts('forged').map(({ slots }) => slots)).toEqual([outpointsOf(first), outpointsOf(...orders.slice(1))])
        await clear()

        const others = await fixture.fund([120_000n], [150_000n])
        const good = await redeemCosigned(fixture.client, others, fixture.solver)
        const at = good.length - 10
        const forged = `${good.slice(0, at)}${good.slice(at, at + 2) === '00' ? '01' : '00'}${good.slice(at + 2)}`
        const tx = await fixture.redeem('refused', others, { cosigned: forged })
        expect(await fixture.mempool()).toEqual([tx])
        expect(attempts('refused').map((attempt) => isKeyPath(parseTransaction(attempt.raw)))).toEqual([true, false])
        expect(await fixture.redeem('refused', others)).toBe(tx)
        await clear()
      })
    })
  })
}
