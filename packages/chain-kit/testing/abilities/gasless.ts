/** Tests a family where the service can initiate with the user's signature. */
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import type { Outbox } from '../../port/outbox.ts'
import { OutboxFailure } from '../outbox.fixture.ts'
import { type ConformanceRun, expectRepeatHarmless, failureOf, required, type Swap } from '../run.fixture.ts'

/** No family pays for as many reverts. */
const MANY_REVERTS = 1_000

export function gaslessSuite(run: ConformanceRun): void {
  describe('gasless', () => {
    const ability = () => required(run.fixture.client.gasless, 'gasless')
    const signing = () => required(run.fixture.gasless, 'gasless in the fixture')
    const sign = async (swap: Swap) => signing().sign(await run.fundingOf(swap))
    const relay = (swap: Swap, signature: string, outbox: Outbox = run.outboxOf(run.solver, swap, 'relay')) =>
      ability().initiate(swap.terms, signature, outbox, swap.deadline)
    const verify = ({ terms, deadline }: Swap, signature: string) => ability().verify(terms, signature, deadline)
    const attempts = (swap: Swap) => run.solver.outbox.attempts(`${swap.key}/relay`)
    const proposed = async (over: Partial<HtlcTerms> = {}): Promise<Swap> => {
      const swap = await run.propose(run.user, run.solver)
      const terms = { ...swap.terms, ...over }
      return { ...swap, terms, key: run.fixture.client.swapId(terms) }
    }
    const relayed = async (): Promise<{ readonly swap: Swap; readonly signature: string; readonly tx: string }> => {
      const swap = await proposed()
      const signature = await sign(swap)
      const tx = await relay(swap, signature)
      await run.confirm()
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      return { swap, signature, tx }
    }
    const feeBalance = () => run.fixture.client.balance(run.fixture.client.chain.nativeAsset, run.solver.address)

    /** `verify` refuses the signature. If it is relayed anyway, nothing is signed and no fee is paid. */
    async function expectRefused(swap: Swap, signature: string, refused: { readonly code: string; readonly message?: unknown }) {
      const before = await feeBalance()
      await expect(verify(swap, signature)).rejects.toMatchObject(refused)
      await expect(relay(swap, signature)).rejects.toMatchObject({ name: expect.stringMatching(/^(ChainFailure|TandemError)$/) })
      expect(attempts(swap)).toEqual([])
      await run.fixture.mine(1)
      expect(await feeBalance()).toBe(before)
    }
    const wellFormed = async (swap: Swap, signature: string) => expect(await failureOf(relay(swap, signature))).toBe('would-fail')

    const itIfSupported = (title: string, test: () => Promise<void>) =>
      it(title, async () => {
        if (run.fixture.gasless !== undefined) await test()
      })

    it('offers something to sign exactly for the assets that it supports, and refuses every signature for others', async () => {
      const swap = await proposed()
      expect(run.fixture.gasless !== undefined).toBe(ability().supports(swap.terms.asset))
      if (run.fixture.gasless !== undefined) return
      const funding = await run.fundingOf(swap)
      expect(funding.kind === 'calls' ? funding.typedData : null).toBeNull()
      for (const signature of ['', '11'.repeat(65)])
        await expectRefused(swap, signature, { code: expect.stringMatching(/^(bad_request|invalid_signature)$/) })
    })

    itIfSupported('relays exactly the initiation that the user signed, once', async () => {
      const swap = await proposed()
      const signature = await sign(swap)
      await verify(swap, signature)
      const before = await run.balanceOf(run.user)
      const tx = await relay(swap, signature)
      expect(await relay(swap, signature)).toBe(tx)
      await run.confirm()
      expect((await run.readSwap(swap)).swap.phase).toBe('initiated')
      await expectRepeatHarmless(relay(swap, signature), tx)
      expect(before - (await run.balanceOf(run.user))).toBe(swap.terms.amount)
      expect(await ability().hasReverted?.(tx)).not.toBe(true)
    })

    itIfSupported('refuses a signature over other terms, before any fee is paid', async () => {
      const signed = await proposed()
      const { terms } = signed
      const signature = await sign(signed)
      await verify(signed, signature)
      const others: readonly Partial<HtlcTerms>[] = [
        { secretHash: hashSecret(createSecret()) },
        { initiator: run.solver.identity },
        { redeemer: run.user.identity },
        { amount: terms.amount + 1n },
        { amount: terms.amount - 1n },
        { timelock: terms.timelock + 1n },
      ]
      for (const other of others) {
        const swap = { ...(await proposed({ ...terms, ...other })), deadline: signed.deadline }
        await expectRefused(swap, signature, { code: 'invalid_signature' })
        await wellFormed(swap, signature)
      }
    })

    it.each([
      ['empty', ''],
      ['of no bytes', '0x'],
      ['not hex', 'nonsense'],
      ['half a byte', '0x123'],
      ['zero', `0x${'00'.repeat(65)}`],
      ['above every curve order', `0x${'ff'.repeat(65)}`],
      ['far too long', `0x${'11'.repeat(5_000)}`],
    ])('refuses a signature that is %s', async (_, signature) => {
      if (run.fixture.gasless === undefined) return
      await expectRefused(await proposed(), signature, { code: 'invalid_signature' })
    })

    itIfSupported('refuses an initiator that holds less than the amount, before any fee is paid', async () => {
      const swap = await proposed({ amount: (await run.balanceOf(run.user)) + 1n })
      const signature = await sign(swap)
      const message = expect.stringMatching(new RegExp(`holds \\d+ of ${swap.terms.asset}.* needs ${swap.terms.amount}`))
      await expectRefused(swap, signature, { code: 'bad_request', message })
      await wellFormed(swap, signature)
    })

    itIfSupported('refuses an initiator that has not approved the amount, where it must, before any fee is paid', async () => {
      const { revokeApproval } = signing()
      if (revokeApproval === undefined) return
      const swap = await proposed()
      const signature = await sign(swap)
      expect(await ability().spendable?.(swap.terms)).toBeGreaterThanOrEqual(swap.terms.amount)
      await revokeApproval()
      expect(await ability().spendable?.(swap.terms)).toBe(0n)
      const message = expect.stringMatching(new RegExp(`^(?=.*approved 0\\b)(?=.*${swap.terms.asset}).* needs ${swap.terms.amount}`))
      await expectRefused(swap, signature, { code: 'bad_request', message })
      await wellFormed(swap, signature)
    })

    itIfSupported(
      'accepts a used signature whatever the initiator has left, and relays it no second time, even without records',
      async () => {
        const { swap, signature } = await relayed()
        await signing().revokeApproval?.()
        await verify(swap, signature)
        expect((await ability().spendable?.(swap.terms)) ?? null).toBeNull()
        const [before, key] = [await run.balanceOf(run.user), `${swap.key}/relay again`]
        expect(await failureOf(relay(swap, signature, run.solver.outbox.open(key)))).toBe('superseded')
        expect(run.solver.outbox.attempts(key)).toEqual([])
        await run.fixture.mine(1)
        expect(await run.balanceOf(run.user)).toBe(before)
      },
    )

    itIfSupported('pays for no relay of an initiator whose relays reverted too often', async () => {
      const swap = await proposed()
      const outbox = { ...run.outboxOf(run.solver, swap, 'relay'), revertedRelays: MANY_REVERTS }
      const refused = { name: 'ChainFailure', kind: 'would-fail', refusal: expect.stringMatching(/no more are paid for/) }
      await expect(relay(swap, await sign(swap), outbox)).rejects.toMatchObject(refused)
      expect(attempts(swap)).toEqual([])
    })

    itIfSupported('rebroadcasts a relay that a reorg dropped', async () => {
      const swap = await proposed()
      const signature = await sign(swap)
      const tx = await relay(swap, signature)
      await run.fixture.mine(1)
      await run.fixture.reorg(1, { drop: true })
      expect((await run.readSwap(swap)).events).toEqual([])
      expect(await relay(swap, signature)).toBe(tx)
      await run.confirm()
      expect((await run.readSwap(swap)).swap).toMatchObject({ phase: 'initiated', filledAmount: swap.terms.amount })
      expect(attempts(swap)).toHaveLength(1)
    })

    itIfSupported('states order, leg and terms as the purpose of a relayed initiation', async () => {
      const swap = await proposed()
      const signature = await sign(swap)
      await run.expectPurpose(run.solver, swap, 'relay', () => relay(swap, signature))
      await run.confirm()
    })

    itIfSupported('sends no transaction that was not recorded', async () => {
      const swap = await proposed()
      const signature = await sign(swap)
      const outbox = run.outboxOf(run.solver, swap, 'relay', 'lost-lease')
      await expect(relay(swap, signature, outbox)).rejects.toThrow(OutboxFailure)
      await run.confirm()
      expect((await run.readSwap(swap)).events).toEqual([])
    })
  })
}
