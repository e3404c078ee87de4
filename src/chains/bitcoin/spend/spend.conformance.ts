/** What must be true of redeems and of what is done to get them mined, told for any node of the family. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSecret, hashSecret } from '../../../protocol/secret.ts'
import { createMemoryOutbox } from '../../testing/outbox.fixture.ts'
import { randomSigner } from '../bitcoin.fixture.ts'
import { redeemCosigned } from '../cosign/cosign.fixture.ts'
import { isKeyPath } from '../execute.ts'
import type { BitcoinNetwork } from '../networks.ts'
import { parseTransaction } from '../script/transaction.ts'
import type { FundedOrder, SpendScene } from './spend.fixture.ts'
import { batchRedeem } from './spend.ts'

const outpointsOf = (...orders: readonly FundedOrder[]) => orders.flatMap(({ deposits }) => deposits.map(({ id }) => id))
const totalOf = (...orders: readonly FundedOrder[]) =>
  orders.flatMap(({ deposits }) => deposits).reduce((sum, { amount }) => sum + amount, 0n)

/** `replaces`: see `BitcoinNetwork`. */
export function describeSpends(name: string, { replaces }: Pick<BitcoinNetwork, 'replaces'>, start: () => Promise<SpendScene>): void {
  describe(name, () => {
    let scene: SpendScene
    beforeAll(async () => {
      scene = await start()
    })
    afterAll(() => scene?.close())

    const attempts = (key: string) => scene.outbox.attempts(key)
    const parsed = (key: string, index = -1) => parseTransaction(attempts(key).at(index)?.raw ?? '')
    /** Fees are compared in satoshis per 1000 vB, rounded down. */
    const familyRate = async (tx: string) => {
      const { familyFee, familyVsize } = await scene.entry(tx)
      return (familyFee * 1000n) / familyVsize
    }
    const ownRate = async (tx: string) => {
      const { fee, vsize } = await scene.entry(tx)
      return (fee * 1000n) / vsize
    }
    const clear = async () => {
      await scene.chain.mine(1)
      expect(await scene.mempool()).toEqual([])
    }

    describe('redeems of several HTLCs', () => {
      it('are one transaction with one output to the own wallet', async () => {
        const orders = await scene.fund([120_000n, 80_000n], [150_000n], [90_000n])
        const before = await scene.walletBalance()
        const tx = await scene.redeem('several', orders)
        expect(await scene.mempool()).toEqual([tx])
        const { inputs, outputs, vsize } = parsed('several')
        expect(inputs.map(({ outpoint }) => outpoint)).toEqual(outpointsOf(...orders))
        const { fee } = await scene.entry(tx)
        expect(outputs.map(({ amount }) => amount)).toEqual([totalOf(...orders) - fee])
        // 10.5 vB, 41 and 59.75 for each input, 31 for the output.
        expect(vsize).toBe(445n)
        expect(await scene.redeem('several', orders)).toBe(tx)
        await clear()
        expect(await scene.walletBalance()).toBe(before + totalOf(...orders) - fee)
        expect(await scene.redeem('several', orders)).toBe(tx)
        expect(attempts('several')).toHaveLength(1)
      })

      if (replaces)
        it('are raised together, with all that they spend', async () => {
          const orders = await scene.fund([120_000n], [150_000n])
          const slow = await scene.redeem('raised', orders)
          const before = await scene.entry(slow)
          scene.letWait()
          const fast = await scene.redeem('raised', orders)
          expect(await scene.mempool()).toEqual([fast])
          expect(parsed('raised').inputs.map(({ outpoint }) => outpoint)).toEqual(outpointsOf(...orders))
          const after = await scene.entry(fast)
          expect(after.fee).toBeGreaterThanOrEqual(before.fee + after.vsize)
          await clear()
        })

      if (replaces)
        it('leave out what somebody else has, and fight alone for what somebody else wants', async () => {
          const [free, contested, taken] = await scene.fund([120_000n], [150_000n, 140_000n], [90_000n])
          if (free === undefined || contested === undefined || taken === undefined) throw new Error('three orders were funded')
          await scene.chain.mine(6)
          const refund = ({ terms, deposits, initiator }: FundedOrder) =>
            scene.client.refund(terms, { deposits, to: null }, createMemoryOutbox(initiator).open('refund'))
          await refund(taken)
          await clear()
          let rivalFees = 0n
          for (const deposit of contested.deposits) {
            const rival = await refund({ ...contested, deposits: [deposit] })
            rivalFees += (await scene.entry(rival)).fee
          }
          const tx = await scene.redeem('rest', [taken, contested, free])
          const [first, second] = attempts('rest')
          expect(first?.tx).toBe(tx)
          expect(first?.slots).toEqual(outpointsOf(free))
          expect(second?.slots).toEqual(outpointsOf(contested))
          expect(await scene.mempool()).toEqual([tx, second?.tx].sort())
          const { fee, vsize } = await scene.entry(second?.tx ?? '')
          expect(fee).toBeGreaterThanOrEqual(rivalFees + vsize)
          await clear()
          await expect(scene.redeem('late', [taken])).rejects.toThrow(expect.objectContaining({ kind: 'superseded' }))
        })

      it('that come later go their own way while others wait', async () => {
        const [early, late] = await scene.fund([120_000n], [150_000n])
        if (early === undefined || late === undefined) throw new Error('two orders were funded')
        const tx = await scene.redeem('growing', [early])
        expect(await scene.redeem('growing', [early, late])).toBe(tx)
        expect(attempts('growing').map(({ slots }) => slots)).toEqual([outpointsOf(early), outpointsOf(late)])
        expect(await scene.mempool()).toEqual(
          attempts('growing')
            .map((attempt) => attempt.tx)
            .sort(),
        )
        await clear()
      })

      it('are sent again when a reorg has lost them', async () => {
        const orders = await scene.fund([120_000n], [150_000n])
        await scene.chain.mine(1)
        const tx = await scene.redeem('lost', orders)
        await clear()
        await scene.chain.reorg(1, { drop: true })
        expect(await scene.mempool()).not.toContain(tx)
        expect(await scene.redeem('lost', orders)).toBe(tx)
        expect(await scene.mempool()).toContain(tx)
        expect(attempts('lost')).toHaveLength(1)
        await clear()
      })
    })

    if (replaces)
      describe('a child pays', () => {
        it('for redeems that are wanted by others too, which are not replaced by one that leaves something behind', async () => {
          const orders = await scene.fund([120_000n], [150_000n])
          const [, second] = orders
          if (second === undefined) throw new Error('two orders were funded')
          const before = await scene.walletBalance()
          const batch = await scene.redeem('first', orders)
          expect(await scene.redeem('second', [second])).toBe(batch)
          expect(attempts('second')).toEqual([])
          const rate = await ownRate(batch)

          scene.letWait()
          expect(await scene.redeem('second', [second])).toBe(batch)
          const [child] = attempts('second')
          expect(child?.slots).toEqual([`${batch}:0`])
          expect(await scene.mempool()).toEqual([batch, child?.tx].sort())
          expect(await familyRate(child?.tx ?? '')).toBeGreaterThan((rate * 124n) / 100n)

          expect(await scene.redeem('first', orders)).toBe(batch)
          expect(await scene.redeem('second', [second])).toBe(batch)
          expect(await scene.mempool()).toHaveLength(2)
          scene.letWait()
          // Whoever comes first raises it for all.
          expect(await scene.redeem('first', orders)).toBe(batch)
          expect(await scene.redeem('second', [second])).toBe(batch)
          const next = attempts('first').at(-1)
          expect(attempts('second')).toHaveLength(1)
          expect(next?.slots).toEqual(child?.slots)
          expect(await scene.mempool()).toEqual([batch, next?.tx].sort())
          const { familyFee } = await scene.entry(next?.tx ?? '')
          await clear()
          expect(await scene.redeem('second', [second])).toBe(batch)
          expect(await scene.walletBalance()).toBe(before + totalOf(...orders) - familyFee)
        })

        it('where the node refuses a replacement, and is raised itself', async () => {
          const [order] = await scene.fund([120_000n])
          if (order === undefined) throw new Error('an order was funded')
          const { broadcast } = scene.execution('stubborn').backend
          // As nodes do that know no full RBF, or are full of what depends on it.
          const answers = {
            broadcast: async (raw: string) => {
              const isReplacement =
                attempts('stubborn').length > 1 && outpointsOf(order).includes(parseTransaction(raw).inputs[0]?.outpoint ?? '')
              return isReplacement ? ({ accepted: false, reason: 'txn-mempool-conflict (-26)' } as const) : broadcast(raw)
            },
          }
          const redeem = () => batchRedeem(scene.execution('stubborn', { answers }), [order], null)
          const tx = await redeem()
          const rate = await ownRate(tx)
          scene.letWait()
          expect(await redeem()).toBe(tx)
          const [, refused, child] = attempts('stubborn')
          expect(refused?.slots).toEqual(outpointsOf(order))
          expect(child?.slots).toEqual([`${tx}:0`])
          expect(await scene.mempool()).toEqual([tx, child?.tx].sort())
          expect(await familyRate(child?.tx ?? '')).toBeGreaterThan((rate * 124n) / 100n)
          scene.letWait()
          expect(await redeem()).toBe(tx)
          const raised = attempts('stubborn').at(-1)
          expect(attempts('stubborn')).toHaveLength(4)
          expect(raised?.slots).toEqual(child?.slots)
          expect(await scene.mempool()).toEqual([tx, raised?.tx].sort())
          expect(await familyRate(raised?.tx ?? '')).toBeGreaterThan((rate * 154n) / 100n)
          await clear()
        })

        it('for a payment whose change another payment spends', async () => {
          const payer = randomSigner()
          const outbox = createMemoryOutbox(payer)
          await scene.chain.pay(scene.client.addressOf(payer), 1_000_000n)
          await scene.chain.mine(1)
          const terms = (amount: bigint) => ({
            asset: scene.chain.chain.nativeAsset,
            initiator: scene.client.identityOf(payer),
            redeemer: scene.client.identityOf(scene.solver),
            amount,
            secretHash: hashSecret(createSecret()),
            timelock: 20n,
          })
          const [one, two] = [terms(400_000n), terms(200_000n)]
          const parent = await scene.client.initiate(one, outbox.open('parent'))
          const child = await scene.client.initiate(two, outbox.open('child'))
          expect(outbox.attempts('child')[0]?.slots).toEqual([`${parent}:1`])
          const rate = await familyRate(child)
          outbox.passSeconds(scene.chain.chain.feeBumpSeconds)
          expect(await scene.client.initiate(one, outbox.open('parent'))).toBe(parent)
          const helper = outbox.attempts('parent')[1]
          expect(helper?.slots).toEqual([`${child}:1`])
          expect(await scene.mempool()).toEqual([parent, child, helper?.tx].sort())
          expect(await familyRate(helper?.tx ?? '')).toBeGreaterThan((rate * 124n) / 100n)
          // The child's own action finds it raised, and raises it further only when it is due.
          expect(await scene.client.initiate(two, outbox.open('child'))).toBe(child)
          expect(outbox.attempts('child')).toHaveLength(1)
          outbox.passSeconds(scene.chain.chain.feeBumpSeconds)
          expect(await scene.client.initiate(two, outbox.open('child'))).toBe(child)
          expect(outbox.attempts('child')[1]?.slots).toEqual(helper?.slots)
          expect(await scene.mempool()).toEqual([parent, child, outbox.attempts('child')[1]?.tx].sort())
          await clear()
          expect(await scene.client.initiate(one, outbox.open('parent'))).toBe(parent)
          expect(await scene.client.initiate(two, outbox.open('child'))).toBe(child)
        })
      })

    if (!replaces)
      describe('where nodes replace nothing', () => {
        it('each raise is one more child', async () => {
          const orders = await scene.fund([120_000n], [150_000n])
          const before = await scene.walletBalance()
          const batch = await scene.redeem('first-seen', orders)
          let rate = await ownRate(batch)
          for (let raises = 1; raises <= 3; raises++) {
            scene.letWait()
            for (let i = 0; i < 2; i++) expect(await scene.redeem('first-seen', orders)).toBe(batch)
            const family = attempts('first-seen').map((attempt) => attempt.tx)
            expect(await scene.mempool()).toEqual(family.toSorted())
            expect(family).toHaveLength(raises + 1)
            expect(attempts('first-seen')[raises]?.slots).toEqual([`${family[raises - 1]}:0`])
            const raised = await familyRate(family[raises] ?? '')
            expect(raised).toBeGreaterThan((rate * 124n) / 100n)
            rate = raised
          }
          const { familyFee } = await scene.entry(attempts('first-seen')[3]?.tx ?? '')
          await clear()
          expect(await scene.walletBalance()).toBe(before + totalOf(...orders) - familyFee)
          expect(await scene.redeem('first-seen', orders)).toBe(batch)
        })

        it('what somebody else wants is not fought for, and the rest is redeemed', async () => {
          const [free, contested] = await scene.fund([120_000n], [150_000n])
          if (free === undefined || contested === undefined) throw new Error('two orders were funded')
          await scene.chain.mine(6)
          const { terms, deposits, initiator } = contested
          const rival = await scene.client.refund(terms, { deposits, to: null }, createMemoryOutbox(initiator).open('refund'))
          const tx = await scene.redeem('first-come', [contested, free])
          expect(await scene.mempool()).toEqual([rival, tx].sort())
          expect(attempts('first-come').map(({ slots }) => slots)).toEqual([outpointsOf(free)])
          await clear()
        })
      })

    describe('a redeem that the initiators signed too', () => {
      if (replaces)
        it('goes first, by the key path, and is replaced by what we sign alone when it is slow', async () => {
          const orders = await scene.fund([120_000n])
          const cosigned = await redeemCosigned(scene.client, orders, scene.solver)
          const tx = await scene.redeem('cosigned', orders, { cosigned })
          expect(tx).toBe(parseTransaction(cosigned).txid())
          expect(attempts('cosigned').map(({ raw }) => raw)).toEqual([cosigned])
          const { fee } = await scene.entry(tx)
          expect(await scene.redeem('cosigned', orders, { cosigned })).toBe(tx)
          scene.letWait()
          const alone = await scene.redeem('cosigned', orders, { cosigned })
          expect(await scene.mempool()).toEqual([alone])
          expect(isKeyPath(parsed('cosigned'))).toBe(false)
          expect((await scene.entry(alone)).fee).toBeGreaterThan(fee)
          await clear()
        })

      it('is paid for by a child when it is large, which costs less than to sign it alone', async () => {
        const orders = await scene.fund([120_000n], [150_000n], [90_000n, 80_000n])
        const cosigned = await redeemCosigned(scene.client, orders, scene.solver)
        const tx = await scene.redeem('large', orders, { cosigned })
        scene.letWait()
        expect(await scene.redeem('large', orders, { cosigned })).toBe(tx)
        expect(attempts('large')[1]?.slots).toEqual([`${tx}:0`])
        expect(await scene.mempool()).toEqual(
          attempts('large')
            .map((attempt) => attempt.tx)
            .sort(),
        )
        await clear()
      })

      it('is not waited for: what is refused, or spends something that is gone, is redeemed by script', async () => {
        const orders = await scene.fund([120_000n], [150_000n])
        const [first] = orders
        if (first === undefined) throw new Error('two orders were funded')
        const cosigned = await redeemCosigned(scene.client, orders, scene.solver)
        // The last byte of the last signature.
        const at = cosigned.length - 10
        const forged = `${cosigned.slice(0, at)}${cosigned.slice(at, at + 2) === '00' ? '01' : '00'}${cosigned.slice(at + 2)}`
        const alone = await scene.redeem('forged', [first], { cosigned })
        expect(parsed('forged').inputs.map(({ outpoint }) => outpoint)).toEqual(outpointsOf(first))
        await clear()
        const rest = await scene.redeem('forged', orders, { cosigned })
        expect(rest).not.toBe(alone)
        expect(attempts('forged').map(({ slots }) => slots)).toEqual([outpointsOf(first), outpointsOf(...orders.slice(1))])
        await clear()

        const others = await scene.fund([120_000n], [150_000n])
        const bad = await redeemCosigned(scene.client, others, scene.solver)
        const tx = await scene.redeem('refused', others, { cosigned: `${bad.slice(0, at)}${forged.slice(at, at + 2)}${bad.slice(at + 2)}` })
        expect(await scene.mempool()).toEqual([tx])
        expect(attempts('refused').map((attempt) => isKeyPath(parseTransaction(attempt.raw)))).toEqual([true, false])
        expect(await scene.redeem('refused', others)).toBe(tx)
        await clear()
      })
    })
  })
}
