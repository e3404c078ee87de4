/**
 * Decides what is granted: nothing by default. The permit of the family has checked before that the transaction does what its purpose says; here is whether the
 * purpose may be served.
 */
import type { ConsentEntry } from '../journal/entries.ts'
import type { AskedAction } from '../wire/question.ts'
import { type LockContext, readLock } from './lock.ts'
import { type Decision, Refusal, type Request } from './request.ts'
import { readWithdrawal, type WithdrawalContext } from './withdrawal.ts'

export type PolicyContext = LockContext & WithdrawalContext

/**
 * Under these verbs money moves to ourselves. The permit of the family sees to it, and to the fees. A relay and a return of a deposit are of a service, and pay
 * more than fees: rent, or the crossing of a stranger.
 */
const HARMLESS: ReadonlySet<string> = new Set(['redeem', 'refund', 'close', 'cancel', 'fill', 'cosigned-redeem'])

/** Rejects with `Refusal`. Every other error means that it could not be decided. */
export async function decide(context: PolicyContext, request: Request): Promise<Decision> {
  const [purpose, ...others] = request.purposes
  if (purpose?.kind === 'withdraw' && others.length === 0) return readWithdrawal(context, purpose, request)
  const actions = request.purposes.flatMap((one) => {
    if (one.kind !== 'order') throw new Refusal(`nothing is signed for "${one.kind}" here`)
    return one.actions
  })
  const [action, ...more] = actions
  if (action === undefined || more.some(({ verb }) => verb !== action.verb)) throw new Refusal('it is for several things at once')
  // Only a service pays a stranger out of its own.
  if (actions.some(({ gas, to }) => gas !== undefined || to !== undefined))
    throw new Refusal('it would pay somebody who is no party of the order')
  if (action.verb === 'initiate') {
    if (more.length > 0) throw new Refusal('a lock is for one order')
    return readLock(context, action, request)
  }
  if (action.verb === 'instant-refund') {
    if (more.length > 0 || action.leg !== 'source') throw new Refusal('a consent is to the refund of one source')
    return consentTo(action, request)
  }
  if (!HARMLESS.has(action.verb)) throw new Refusal(`"${action.verb}" is never signed`)
  const secretHashes = [...new Set(actions.map(({ terms }) => terms.secretHash))]
  return () => ({ kind: 'other', ...request.asked, fee: request.fee, order: action.order, secret_hashes: secretHashes })
}

function consentTo({ terms }: AskedAction, { asked, fee, refunded }: Request): Decision {
  const isToSome = refunded !== null && refunded.length > 0
  const entry: ConsentEntry = {
    kind: 'consent',
    ...asked,
    fee,
    secret_hash: terms.secretHash,
    deposits: isToSome ? [...new Set(refunded)] : null,
  }
  return (history) => {
    const why = history.whyNotConsent(entry)
    if (why !== null) throw new Refusal(why)
    return entry
  }
}
