/**
 * What our keys may sign on the XRP Ledger: the escrow that the terms of an initiation describe, the end of an escrow of the terms' initiator, and the
 * payment that the operator asked for. Each is rebuilt from the purpose; nothing may differ but sequence, last ledger and a fee below the cap.
 */
import { type PermitSigning, SigningRefused } from '@tandem/keys/permit.ts'
import type { OrderPurpose, Purpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { accountOf, partyOf } from '../terms/address.ts'
import { conditionOf, escrowOf, fromRippleTime, secretIn } from '../terms/htlc.ts'
import { networkField } from '../terms/network.ts'
import { MAX_PER_UNIT } from './fees.ts'
import { type Call, cancelCall, createCall, finishCall, paymentCall, unitsOf, unsignedOf } from './send/transaction.ts'

type Fields = Readonly<Record<string, unknown>>
type Rebuilt = { readonly call: Call } | { readonly refusal: string }

/**
 * The signer's clock and that of the ledger differ by less. The end of our own escrow is checked by it: one that ends after the source would pay the user
 * twice. The timelocks of a source and a destination differ by far more than this.
 */
const CLOCK_TOLERANCE_SECONDS = 3_600n

const MAX_UINT32 = 2 ** 32 - 1

/** `now` is in unix seconds. */
export function createPermit(chain: Chain, now: () => bigint): PermitSigning {
  const network = networkField(chain)

  return ({ key, purpose, operation, args: [given] }) => {
    const refused = (why: string) => new SigningRefused(purpose, why)
    if (purpose.chain !== chain.id) throw refused(`this key signs on ${chain.id} here`)
    if (operation !== 'transaction') throw refused(`there is no rule for the operation "${operation}"`)
    if (!isRecord(given)) throw refused('it is no transaction')
    const rebuilt = rebuild(chain, accountOf(key), purpose, given, now)
    if ('refusal' in rebuilt) throw refused(rebuilt.refusal)
    const { Sequence, LastLedgerSequence, Fee } = given
    if (!isUint32(Sequence) || !isUint32(LastLedgerSequence)) throw refused('its sequence or its last ledger is missing')
    const units = unitsOf(rebuilt.call)
    const fee = typeof Fee === 'string' && /^[1-9][0-9]{0,15}$/.test(Fee) ? BigInt(Fee) : null
    if (fee === null || fee > MAX_PER_UNIT * units) throw refused(`its fee of ${Fee} drops is not at most ${MAX_PER_UNIT * units}`)
    const fees = { perUnit: fee / units, lastLedger: BigInt(LastLedgerSequence) }
    const difference = differenceOf(given, unsignedOf(key, { sequence: BigInt(Sequence), fees, network }, rebuilt.call))
    if (difference !== null) throw refused(`its field "${difference}" is not what the purpose needs`)
  }
}

function rebuild(chain: Chain, account: string, purpose: Purpose, given: Fields, now: () => bigint): Rebuilt {
  if (purpose.kind !== 'order' && purpose.kind !== 'withdraw') return { refusal: 'such a purpose has no transactions here' }
  if (purpose.kind === 'order') return rebuildForOrder(chain, account, purpose, given, now)
  const { asset, recipient, amount } = purpose
  if (asset !== chain.nativeAsset) return { refusal: `${asset} is not the coin of this chain` }
  const { account: destination, tag } = partyOf(recipient)
  return { call: paymentCall(destination, tag, amount) }
}

/** The ledger has no batches, no transaction that takes the place of another, and lets nobody lock the money of others. */
function rebuildForOrder(chain: Chain, account: string, { actions }: OrderPurpose, given: Fields, now: () => bigint): Rebuilt {
  const [{ verb, terms }, ...others] = actions
  if (others.length > 0) return { refusal: 'a transaction serves one order' }
  if (terms.asset !== chain.nativeAsset) return { refusal: `${terms.asset} is not the coin of this chain` }
  switch (verb) {
    case 'initiate':
      return rebuildCreate(account, terms, given, now)
    case 'redeem':
      return rebuildFinish(terms, given)
    case 'refund':
      return rebuildCancel(terms, given)
    default:
      return { refusal: `nothing on this chain is signed for "${verb}"` }
  }
}

/** An escrow that ends early comes back to us early. So the recorded one may be signed again, at a higher fee. */
function rebuildCreate(account: string, terms: HtlcTerms, { CancelAfter }: Fields, now: () => bigint): Rebuilt {
  if (terms.initiator !== account) return { refusal: `it would lock our money for ${terms.initiator}` }
  if (!isUint32(CancelAfter)) return { refusal: 'its escrow has no end' }
  const end = fromRippleTime(BigInt(CancelAfter))
  if (end > now() + terms.timelock + CLOCK_TOLERANCE_SECONDS) return { refusal: 'its escrow would end later than its timelock allows' }
  return { call: createCall({ ...escrowOf(terms, 0n), cancelAfter: end }) }
}

/**
 * Only the ledger knows which sequence the escrow has. If the owner has others, a finish pays whom the owner chose and whose condition this secret meets, and
 * a cancel pays the owner: nothing of ours but the fee.
 */
function rebuildFinish(terms: HtlcTerms, { OfferSequence, Fulfillment }: Fields): Rebuilt {
  const secret = typeof Fulfillment === 'string' ? secretIn(Fulfillment) : null
  if (secret === null || !isSecretFor(secret, terms.secretHash.toLowerCase()))
    return { refusal: 'it does not show the secret of the order' }
  if (!isUint32(OfferSequence)) return { refusal: 'it names no escrow' }
  return { call: finishCall({ owner: terms.initiator, sequence: BigInt(OfferSequence) }, conditionOf(terms.secretHash), secret) }
}

function rebuildCancel({ initiator }: HtlcTerms, { OfferSequence }: Fields): Rebuilt {
  if (!isUint32(OfferSequence)) return { refusal: 'it names no escrow' }
  return { call: cancelCall({ owner: initiator, sequence: BigInt(OfferSequence) }) }
}

/** The values of all fields are texts and numbers. */
function differenceOf(given: Fields, expected: Fields): string | null {
  const names = new Set([...Object.keys(given), ...Object.keys(expected)])
  const has = (name: string) => Object.hasOwn(given, name) && Object.hasOwn(expected, name)
  return [...names].find((name) => !has(name) || given[name] !== expected[name]) ?? null
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function isUint32(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_UINT32
}
