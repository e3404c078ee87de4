// Applies the rules of escrows of XRP (rippled, Escrow.cpp): times are compared with the close time of the parent ledger.
import { createHash } from 'node:crypto'
import { accountFlags, accountKey, type Escrow, escrowKey } from '../ledger/entries.ts'
import type { Fields } from '../ledger/metadata.ts'
import { accountOf, addBalance, addOwned, addToDirectory, escrowOf, ONLY_PAGE, removeFromDirectory, type View } from '../ledger/view.ts'
import { mayDeposit } from './deposit-preauth.ts'
import type { ResultCode } from './result-codes.ts'
import { reserveOf, type Transactor } from './transactor.ts'

/** Conditions are crypto-conditions in DER: a fingerprint of 32 bytes, and the length of the preimage. */
const CONDITION = /^A0258020([0-9A-F]{64})8101([0-7][0-9A-F])$/
/** Other types of conditions are not simulated. */
const FULFILLMENT_TAGS = { outer: 'A0', preimage: '80' } as const

const after = (now: number, mark: number) => now > mark

type CreateFields = Pick<Escrow, 'Condition' | 'CancelAfter' | 'FinishAfter' | 'SourceTag' | 'DestinationTag'> & {
  readonly Destination: string
  readonly Amount: unknown
}

export const escrowCreate: Transactor = {
  preflight({ json }) {
    const { Amount, CancelAfter, FinishAfter, Condition } = json as CreateFields
    // Tokens need the amendment TokenEscrow, which is off here.
    if (typeof Amount !== 'string' || BigInt(Amount) <= 0n) return 'temBAD_AMOUNT'
    if (CancelAfter === undefined && FinishAfter === undefined) return 'temBAD_EXPIRATION'
    if (CancelAfter !== undefined && FinishAfter !== undefined && CancelAfter <= FinishAfter) return 'temBAD_EXPIRATION'
    if (FinishAfter === undefined && Condition === undefined) return 'temMALFORMED'
    return Condition !== undefined && !CONDITION.test(Condition) ? 'temMALFORMED' : null
  },
  apply({ transaction: { json, account, sequence }, rules, view }) {
    const { Destination, Amount, CancelAfter, FinishAfter, Condition, SourceTag, DestinationTag } = json as CreateFields
    const destination = accountOf(view, Destination)
    if (destination === undefined) return 'tecNO_DST'
    if (CancelAfter !== undefined && after(rules.parentCloseTime, CancelAfter)) return 'tecNO_PERMISSION'
    if (FinishAfter !== undefined && after(rules.parentCloseTime, FinishAfter)) return 'tecNO_PERMISSION'
    const owner = accountOf(view, account)
    // The fee is paid already, so the balance is without it.
    const balance = BigInt(owner?.Balance ?? 0)
    const reserve = reserveOf(rules.fees, (owner?.OwnerCount ?? 0) + 1)
    const amount = BigInt(String(Amount))
    if (balance < reserve) return 'tecINSUFFICIENT_RESERVE'
    if (balance < reserve + amount) return 'tecUNFUNDED'
    // The flag that a destination disallows XRP is only advice to wallets: escrows ignore it.
    if ((destination.Flags & accountFlags.requireDestTag) !== 0 && DestinationTag === undefined) return 'tecDST_TAG_NEEDED'
    const key = escrowKey(account, sequence)
    view.put(key, {
      LedgerEntryType: 'Escrow',
      Account: account,
      Amount: String(Amount),
      ...(CancelAfter !== undefined && { CancelAfter }),
      ...(Condition !== undefined && { Condition }),
      Destination,
      ...(Destination !== account && { DestinationNode: ONLY_PAGE }),
      ...(DestinationTag !== undefined && { DestinationTag }),
      ...(FinishAfter !== undefined && { FinishAfter }),
      Flags: 0,
      OwnerNode: ONLY_PAGE,
      ...(SourceTag !== undefined && { SourceTag }),
    })
    addToDirectory(view, account, key)
    if (Destination !== account) addToDirectory(view, Destination, key)
    addBalance(view, account, -amount)
    addOwned(view, account, 1)
    return 'tesSUCCESS'
  },
}

export const escrowFinish: Transactor = {
  feeUnits({ json: { Fulfillment } }) {
    return typeof Fulfillment === 'string' ? 33n + BigInt(Fulfillment.length / 2) / 16n : 1n
  },
  preflight({ json }) {
    return (json.Condition === undefined) !== (json.Fulfillment === undefined) ? 'temMALFORMED' : null
  },
  apply({ transaction: { json, account }, rules, view }) {
    const [owner, sequence] = targetOf(json)
    const escrow = escrowOf(view, owner, sequence)
    if (escrow === undefined) return 'tecNO_TARGET'
    const { FinishAfter, CancelAfter, Destination, Condition } = escrow
    if (FinishAfter !== undefined && !after(rules.parentCloseTime, FinishAfter)) return 'tecNO_PERMISSION'
    if (CancelAfter !== undefined && after(rules.parentCloseTime, CancelAfter)) return 'tecNO_PERMISSION'
    if (json.Condition !== undefined && !fulfills(String(json.Fulfillment), String(json.Condition))) return 'tecCRYPTOCONDITION_ERROR'
    if (Condition !== json.Condition) return 'tecCRYPTOCONDITION_ERROR'
    if (view.get(accountKey(Destination)) === undefined) return 'tecNO_DST'
    if (!mayDeposit(view, account, Destination)) return 'tecNO_PERMISSION'
    return settle(view, escrow, sequence, Destination)
  },
}

export const escrowCancel: Transactor = {
  apply({ transaction: { json }, rules, view }) {
    const [owner, sequence] = targetOf(json)
    const escrow = escrowOf(view, owner, sequence)
    if (escrow === undefined) return 'tecNO_TARGET'
    const { CancelAfter } = escrow
    if (CancelAfter === undefined || !after(rules.parentCloseTime, CancelAfter)) return 'tecNO_PERMISSION'
    return settle(view, escrow, sequence, escrow.Account)
  },
}

function targetOf(json: Fields): readonly [owner: string, sequence: number] {
  return [String(json.Owner), Number(json.OfferSequence)]
}

function settle(view: View, { Account, Destination, Amount }: Escrow, sequence: number, recipient: string): ResultCode {
  const key = escrowKey(Account, sequence)
  removeFromDirectory(view, Account, key)
  if (Destination !== Account) removeFromDirectory(view, Destination, key)
  addBalance(view, recipient, BigInt(Amount))
  addOwned(view, Account, -1)
  view.erase(key)
  return 'tesSUCCESS'
}

function fulfills(fulfillment: string, condition: string): boolean {
  const preimage = contentOf(contentOf(fulfillment, FULFILLMENT_TAGS.outer), FULFILLMENT_TAGS.preimage)
  const [, fingerprint, cost = ''] = CONDITION.exec(condition) ?? []
  if (preimage === null || Number.parseInt(cost, 16) !== preimage.length / 2) return false
  return createHash('sha256').update(preimage, 'hex').digest('hex').toUpperCase() === fingerprint
}

/** The content is null if it is malformed. A length may have a longer form than it needs, as in rippled (utils.h, parsePreamble). */
function contentOf(der: string | null, tag: string): string | null {
  if (!der?.startsWith(tag)) return null
  const first = Number.parseInt(der.slice(2, 4), 16)
  const lengthBytes = first < 0x80 ? 0 : first - 0x80
  if (first === 0x80 || lengthBytes > 8) return null
  const content = der.slice(4 + 2 * lengthBytes)
  const length = lengthBytes === 0 ? first : Number.parseInt(der.slice(4, 4 + 2 * lengthBytes), 16)
  return content.length === 2 * length ? content : null
}
