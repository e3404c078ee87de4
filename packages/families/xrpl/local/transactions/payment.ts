// Applies payments of XRP (rippled, Payment.cpp). No other currency is simulated.
import { accountFlags, accountKey } from '../ledger/entries.ts'
import { accountOf, addBalance } from '../ledger/view.ts'
import { mayDeposit } from './deposit-preauth.ts'
import { reserveOf, type Transactor } from './transactor.ts'

const NO_DIRECT = 0x00010000
const PARTIAL = 0x00020000
const LIMIT_QUALITY = 0x00040000

export const payment: Transactor = {
  flags: NO_DIRECT | PARTIAL | LIMIT_QUALITY,
  preflight({ json, account }) {
    const flags = Number(json.Flags ?? 0)
    if (typeof json.Amount !== 'string' || BigInt(json.Amount) <= 0n) return 'temBAD_AMOUNT'
    if (json.Destination === account) return 'temREDUNDANT'
    if (json.SendMax !== undefined) return 'temBAD_SEND_XRP_MAX'
    if (json.Paths !== undefined) return 'temBAD_SEND_XRP_PATHS'
    if ((flags & PARTIAL) !== 0) return 'temBAD_SEND_XRP_PARTIAL'
    if ((flags & LIMIT_QUALITY) !== 0) return 'temBAD_SEND_XRP_LIMIT'
    if ((flags & NO_DIRECT) !== 0) return 'temBAD_SEND_XRP_NO_DIRECT'
    return json.DeliverMin === undefined ? null : 'temBAD_AMOUNT'
  },
  apply({ transaction: { json, account, fee }, rules, view, priorBalance }) {
    const recipient = String(json.Destination)
    const amount = BigInt(String(json.Amount))
    const destination = accountOf(view, recipient)
    if (destination === undefined && amount < reserveOf(rules.fees, 0)) return 'tecNO_DST_INSUF_XRP'
    if (((destination?.Flags ?? 0) & accountFlags.requireDestTag) !== 0 && json.DestinationTag === undefined) return 'tecDST_TAG_NEEDED'
    // The reserve may pay the fee.
    const reserve = reserveOf(rules.fees, accountOf(view, account)?.OwnerCount ?? 0)
    if (priorBalance < amount + (reserve > fee ? reserve : fee)) return 'tecUNFUNDED_PAYMENT'
    if (destination === undefined) {
      view.put(accountKey(recipient), {
        LedgerEntryType: 'AccountRoot',
        Account: recipient,
        Balance: '0',
        Flags: 0,
        OwnerCount: 0,
        // A transaction of an earlier account with this address must never be valid again.
        Sequence: rules.ledgerIndex,
      })
    } else if (!mayDeposit(view, account, recipient)) {
      // An account must be able to get the base reserve, else it could be locked out.
      const isLow = BigInt(destination.Balance) <= rules.fees.reserveBase && amount <= rules.fees.reserveBase
      if (!isLow) return 'tecNO_PERMISSION'
    }
    addBalance(view, account, -amount)
    addBalance(view, recipient, amount)
    return 'tesSUCCESS'
  },
}
