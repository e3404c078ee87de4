// Makes tickets: sequence numbers that are set aside, for transactions in any order (rippled, CreateTicket.cpp and Transactor.cpp).
import { ticketKey } from '../ledger/entries.ts'
import { accountOf, addOwned, addToDirectory, changeAccount, ONLY_PAGE, removeFromDirectory, type View } from '../ledger/view.ts'
import { reserveOf, type Transactor } from './transactor.ts'

const MAX_TICKETS = 250

export const ticketCreate: Transactor = {
  preflight({ json }) {
    const count = Number(json.TicketCount)
    return count < 1 || count > MAX_TICKETS ? 'temINVALID_COUNT' : null
  },
  apply({ transaction: { json, account }, rules, view, priorBalance }) {
    const count = Number(json.TicketCount)
    const root = accountOf(view, account)
    if (root === undefined) throw new Error(`there is no account ${account}`)
    // A ticket that this transaction uses is deleted already.
    if ((root.TicketCount ?? 0) + count > MAX_TICKETS) return 'tecDIR_FULL'
    if (priorBalance < reserveOf(rules.fees, root.OwnerCount + count)) return 'tecINSUFFICIENT_RESERVE'
    // The sequence of the transaction itself is used already.
    for (let sequence = root.Sequence; sequence < root.Sequence + count; sequence += 1) {
      const key = ticketKey(account, sequence)
      view.put(key, { LedgerEntryType: 'Ticket', Account: account, Flags: 0, OwnerNode: ONLY_PAGE, TicketSequence: sequence })
      addToDirectory(view, account, key)
    }
    addOwned(view, account, count)
    changeAccount(view, account, (before) => ({
      ...before,
      Sequence: root.Sequence + count,
      TicketCount: (before.TicketCount ?? 0) + count,
    }))
    return 'tesSUCCESS'
  },
}

/** A transaction with a ticket deletes it, whatever its result. */
export function spendTicket(view: View, account: string, sequence: number): void {
  const key = ticketKey(account, sequence)
  removeFromDirectory(view, account, key)
  view.erase(key)
  addOwned(view, account, -1)
  changeAccount(view, account, ({ TicketCount = 0, ...others }) => ({
    ...others,
    ...(TicketCount > 1 && { TicketCount: TicketCount - 1 }),
  }))
}
