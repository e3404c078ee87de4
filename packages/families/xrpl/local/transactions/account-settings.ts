// Sets flags and keys of an account (rippled, SetAccount.cpp and SetRegularKey.cpp), as far as they decide who can be paid and who signs.
import { accountFlags } from '../ledger/entries.ts'
import { accountOf, changeAccount } from '../ledger/view.ts'
import type { Transactor } from './transactor.ts'

const DISABLE_MASTER = 4
/** AccountSet names the flags by these numbers. */
const flagsByNumber = new Map<unknown, number>([
  [1, accountFlags.requireDestTag],
  [3, accountFlags.disallowXrp],
  [DISABLE_MASTER, accountFlags.disableMaster],
  [9, accountFlags.depositAuth],
])

export const accountSet: Transactor = {
  preflight({ json: { SetFlag, ClearFlag } }) {
    if (SetFlag !== undefined && SetFlag === ClearFlag) return 'temINVALID_FLAG'
    // Other flags are not simulated.
    for (const number of [SetFlag, ClearFlag]) if (number !== undefined && !flagsByNumber.has(number)) return 'temINVALID_FLAG'
    return null
  },
  apply({ transaction: { json, account, signer }, view }) {
    if (json.SetFlag === DISABLE_MASTER) {
      if (signer !== account) return 'tecNEED_MASTER_KEY'
      if (accountOf(view, account)?.RegularKey === undefined) return 'tecNO_ALTERNATIVE_KEY'
    }
    const [set, clear] = [flagsByNumber.get(json.SetFlag) ?? 0, flagsByNumber.get(json.ClearFlag) ?? 0]
    changeAccount(view, account, (root) => ({ ...root, Flags: (root.Flags | set) & ~clear }))
    return 'tesSUCCESS'
  },
}

export const setRegularKey: Transactor = {
  preflight: ({ json: { RegularKey }, account }) => (RegularKey === account ? 'temBAD_REGKEY' : null),
  apply({ transaction: { json, account }, view }) {
    const { RegularKey } = json
    const root = accountOf(view, account)
    if (RegularKey === undefined && ((root?.Flags ?? 0) & accountFlags.disableMaster) !== 0) return 'tecNO_ALTERNATIVE_KEY'
    changeAccount(view, account, ({ RegularKey: _, ...others }) => ({
      ...others,
      ...(typeof RegularKey === 'string' && { RegularKey }),
    }))
    return 'tesSUCCESS'
  },
}
