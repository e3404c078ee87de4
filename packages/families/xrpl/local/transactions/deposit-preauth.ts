// Keeps authorizations to deposit into an account that requires them (rippled, DepositPreauth.cpp and verifyDepositPreauth).
import { accountFlags, depositPreauthKey } from '../ledger/entries.ts'
import { accountOf, addOwned, addToDirectory, ONLY_PAGE, type Reader, removeFromDirectory } from '../ledger/view.ts'
import { reserveOf, type Transactor } from './transactor.ts'

/** The destination must exist. */
export function mayDeposit(reader: Reader, sender: string, destination: string): boolean {
  const flags = accountOf(reader, destination)?.Flags ?? 0
  if ((flags & accountFlags.depositAuth) === 0 || sender === destination) return true
  return reader.get(depositPreauthKey(destination, sender)) !== undefined
}

export const depositPreauth: Transactor = {
  preflight({ json: { Authorize, Unauthorize }, account }) {
    if ((Authorize === undefined) === (Unauthorize === undefined)) return 'temMALFORMED'
    return Authorize === account ? 'temCANNOT_PREAUTH_SELF' : null
  },
  apply({ transaction: { json, account }, rules, view, priorBalance }) {
    const { Authorize, Unauthorize } = json
    if (typeof Unauthorize === 'string') {
      const key = depositPreauthKey(account, Unauthorize)
      if (view.get(key) === undefined) return 'tecNO_ENTRY'
      removeFromDirectory(view, account, key)
      addOwned(view, account, -1)
      view.erase(key)
      return 'tesSUCCESS'
    }
    const authorized = String(Authorize)
    const key = depositPreauthKey(account, authorized)
    if (accountOf(view, authorized) === undefined) return 'tecNO_TARGET'
    if (view.get(key) !== undefined) return 'tecDUPLICATE'
    if (priorBalance < reserveOf(rules.fees, (accountOf(view, account)?.OwnerCount ?? 0) + 1)) return 'tecINSUFFICIENT_RESERVE'
    view.put(key, { LedgerEntryType: 'DepositPreauth', Account: account, Authorize: authorized, Flags: 0, OwnerNode: ONLY_PAGE })
    addToDirectory(view, account, key)
    addOwned(view, account, 1)
    return 'tesSUCCESS'
  },
}
