/**
 * Transfers on chains whose accounts have nonces. All payments that are ever signed for one transfer share one nonce, so at most one of them is mined.
 * If another transaction uses that nonce, the transfer has failed: the operator asks for a new one.
 */
import type { Transfer, TransferRequest } from '../port/abilities/transfer.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Attempt, Outbox } from '../port/outbox.ts'
import type { Lane, Outcome } from './lane.ts'
import type { NonceTypes } from './nonce-account.ts'
import { sendOn } from './sending.ts'

export interface TransferFamily<T extends NonceTypes> {
  openLane(outbox: Outbox): Promise<Lane<T>>
  read(attempt: Attempt): T['signed']
  callOf(transfer: TransferRequest, sender: string): T['call']
  isSameCall(a: T['call'], b: T['call']): boolean
  senderOf(outbox: Outbox): string
  /** Rejects with the reason if the transfer would fail now. */
  estimate(call: T['call'], sender: string): Promise<T['cost']>
  estimateNoop(call: T['call'], sender: string): Promise<T['cost']>
  outcome(signed: T['signed']): Promise<Outcome>
  /** It is absent where nodes do not tell the height. */
  minedAt?(tx: string): Promise<bigint | null>
  nextNonce(sender: string): Promise<bigint>
}

export function createNonceTransfers<T extends NonceTypes>(family: TransferFamily<T>): Pick<Transfer, 'send' | 'outcome'> {
  return {
    async send(transfer, outbox) {
      const sender = family.senderOf(outbox)
      const call = family.callOf(transfer, sender)
      const lane = await family.openLane(outbox)
      const sending = sendOn(atOneNonce(lane))
      if (outbox.attempts.length === 0) return sending.append(call, await family.estimate(call, sender))
      const isPayment = (signed: T['signed']) => family.isSameCall(signed.call, call)
      const payment = (await lane.unmined()).findLast(isPayment)
      if (payment === undefined) throw new ChainFailure('superseded', 'the recorded transfer is mined, or can never be mined')
      const { replacement } = lane
      if (!lane.pending.some(isPayment) && replacement !== null)
        // A nonce before it is free: nothing fills it while no other action signs.
        await sendOn(lane).append(replacement.noop, await family.estimateNoop(replacement.noop, sender))
      const costOf = (kept: T['call']) =>
        family.isSameCall(kept, call) ? family.estimate(call, sender) : family.estimateNoop(kept, sender)
      let sent = payment.tx
      for (const signed of lane.pending) {
        const tx = await sending.keep(signed, costOf)
        if (tx !== null && isPayment(signed)) sent = tx
      }
      return sent
    },

    async outcome(transfer, sender, attempts) {
      const call = family.callOf(transfer, sender)
      const payments = attempts.map(family.read).filter((signed) => family.isSameCall(signed.call, call))
      const outcomes = await Promise.all(payments.map((signed) => family.outcome(signed)))
      const mined = payments.find((_, index) => outcomes[index] !== null)
      if (mined !== undefined) {
        const height = (await family.minedAt?.(mined.tx)) ?? null
        if (height === null && family.minedAt !== undefined) return { kind: 'pending' }
        return outcomes[payments.indexOf(mined)] === 'success'
          ? { kind: 'paid', tx: mined.tx, height }
          : { kind: 'failed', why: `${mined.tx} was mined and reverted`, height }
      }
      const next = await family.nextNonce(sender)
      const [first] = payments
      if (first === undefined || payments.some(({ nonce }) => nonce >= next)) return { kind: 'pending' }
      // It may have been mined since the outcomes were read.
      const again = await Promise.all(payments.map((signed) => family.outcome(signed)))
      if (again.some((outcome) => outcome !== null)) return { kind: 'pending' }
      return { kind: 'failed', why: `its nonce ${first.nonce} was used by another transaction of ${sender}`, height: null }
    },
  }
}

/**
 * A refused transaction may have been accepted by some provider, and be mined already: "nonce used" may mean its own. So no second nonce is
 * allocated; the next execution follows the recorded one, and replaces it at its nonce if needed.
 */
function atOneNonce<T extends NonceTypes>(lane: Lane<T>): Lane<T> {
  return {
    ...lane,
    allocate(call, cost, refused, sharing) {
      if (refused === null) return lane.allocate(call, cost, refused, sharing)
      return Promise.reject(new ChainFailure('unreachable', `the nodes refuse ${refused.signed.tx} as ${refused.why}: it is followed next`))
    },
  }
}
