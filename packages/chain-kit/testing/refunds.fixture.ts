/** Signs and sends instant refunds as both parties of the conformance suite. */
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'
import { expect, it } from 'vitest'
import type { Cosigning } from '../port/abilities/instant-refund.ts'
import type { SpendableDeposit } from '../port/spend.ts'
import { type ConformanceRun, type Party, required, type Swap } from './run.fixture.ts'

export function refundsOf(run: ConformanceRun) {
  const ability = () => required(run.fixture.client.instantRefund, 'instantRefund')
  const cosigning = () => required(run.fixture.client.cosignedRefund, 'cosignedRefund')
  /** Another party must send it where the contract checks the redeemer's signature. */
  const sender = (): Party => (run.fixture.client.cosignedRefund === undefined ? run.user : run.solver)

  /** The deposits differ in amount and are mined together. Where terms are used once there is one, and tests of several do not apply. */
  async function funded(deposits: 1 | 2 = 1): Promise<Swap> {
    if (deposits === 1) return run.fundedByUser()
    const swap = await run.propose(run.user, run.solver)
    const funding = await run.fundingOf(swap)
    await run.fixture.fund(funding)
    await run.fixture.underfund(swap.terms, funding)
    await run.confirm()
    expect((await run.readSwap(swap)).swap.deposits).toHaveLength(2)
    return swap
  }

  async function proposed(signing: Cosigning, swap?: Swap): Promise<{ readonly swap: Swap; readonly refunds: readonly InstantRefund[] }> {
    const of = swap ?? (await funded())
    const unspent = (await run.readSwap(of)).swap.deposits.filter(({ spend }) => spend === null)
    const spend = { deposits: unspent.map(({ id, amount }) => ({ id, amount })), to: run.user.address }
    return { swap: of, refunds: await ability().propose(of.terms, spend, signing) }
  }
  async function proposedOne(signing: Cosigning) {
    const { swap, refunds } = await proposed(signing)
    const [refund] = refunds
    if (refund === undefined) throw new Error('no refund was proposed')
    return { swap, terms: swap.terms, refund }
  }

  const begin = (swap: Swap, refunds: readonly InstantRefund[]) =>
    cosigning().begin(swap.terms, refunds, run.signerOf(run.user, swap, 'instant-refund'))
  const answer = (swap: Swap, refunds: readonly InstantRefund[], offer: string) =>
    cosigning().answer(swap.terms, refunds, offer, run.signerOf(run.solver, swap, 'instant-refund'))
  async function together(swap: Swap, refunds: readonly InstantRefund[]): Promise<readonly SignedInstantRefund[]> {
    const session = await begin(swap, refunds)
    return session.finish(await answer(swap, refunds, session.offer))
  }
  /** The list is empty where the initiator signs nothing. */
  const userSignatures = async ({ terms }: Swap, refunds: readonly InstantRefund[]): Promise<readonly string[]> => {
    const hashes = await run.fixture.client.cosignedRefund?.hashes(terms, refunds)
    return (hashes ?? []).map((hash) => required(run.fixture.signRefundHash, 'signRefundHash')(hash))
  }
  const apart = async (swap: Swap, refunds: readonly InstantRefund[]) =>
    ability().combine(swap.terms, refunds, {
      initiator: await userSignatures(swap, refunds),
      redeemer: await ability().sign(swap.terms, refunds, run.signerOf(run.solver, swap, 'instant-refund')),
    })
  const signedApart = async (of?: Swap) => {
    const { swap, refunds } = await proposed('apart', of)
    return { swap, signed: await apart(swap, refunds) }
  }

  const keyOf = (swap: Swap) => `${swap.key}/instant-refund`
  return {
    ability,
    cosigning,
    funded,
    proposed,
    proposedOne,
    begin,
    answer,
    together,
    userSignatures,
    apart,
    signedApart,
    send: (swap: Swap, signed: readonly SignedInstantRefund[]) =>
      ability().send(swap.terms, signed, sender().outbox.open(keyOf(swap), { purpose: run.purposeOf(swap, 'instant-refund') })),
    attempts: (swap: Swap) => sender().outbox.attempts(keyOf(swap)),
    paid: (refunds: readonly InstantRefund[]) => refunds.reduce((sum, { pays }) => sum + pays, 0n),
    /** Nodes know this redeem of the deposits with the secret. */
    async redeemed(swap: Swap, deposits: readonly SpendableDeposit[]): Promise<string> {
      const { client } = run.fixture
      const spend = { deposits, to: run.solver.address, secret: swap.secret }
      const tx = await client.redeem(swap.terms, spend, run.outboxOf(run.solver, swap, 'redeem'))
      // Without a mempool to search, it is seen in a block.
      if (client.unconfirmedEvents === undefined) await run.fixture.mine(1)
      return tx
    },
    othersOf: (refund: InstantRefund, deposit: string): readonly InstantRefund[] => [
      { ...refund, pays: refund.pays - 1n },
      { ...refund, amount: refund.amount + 1n },
      { ...refund, to: run.solver.address },
      { ...refund, deposit },
    ],
    itWithSeveral: (title: string, test: () => Promise<void>) =>
      it(title, async () => {
        if (!run.fixture.termsAreUsedOnce) await test()
      }),
  }
}
