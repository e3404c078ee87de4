/** Finds escrows of the phrase among those of the user's own account. The ledger keeps no escrow that was finished or cancelled. */
import type { ListedLock, ListedLocks, LockSearch, Node } from '@tandem/chain-kit/browser/family.ts'
import { parseAddress, partyOf } from '../terms/address.ts'
import { encodeTagged } from '../terms/address-codec.ts'
import { type Escrow, secretHashIn } from '../terms/htlc.ts'
import { isTestNetwork } from '../terms/network.ts'
import { escrowsOf, type ListedEscrow } from './find-escrow.ts'

export async function findLocks(search: LockSearch, node: Node): Promise<ListedLocks> {
  const locks: ListedLock[] = []
  const cut: { isCut?: true } = {}
  const onCut = () => {
    cut.isCut = true
  }
  for (const own of search.accounts) {
    const { account } = partyOf(own)
    for await (const listed of escrowsOf(account, node, onCut)) locks.push(...toldBy(search, account, listed))
    search.onProgress(1)
  }
  return { locks, since: null, ...cut }
}

/** An escrow that is not a lock of the phrase gives none. The timelock is the registry's: an escrow names its end instead. */
function toldBy(
  { chain, contracts, secretHashes }: LockSearch,
  account: string,
  { escrow, transaction }: ListedEscrow,
): readonly ListedLock[] {
  const secretHash = secretHashIn(escrow.condition)
  const [native] = contracts
  if (secretHash === null || !secretHashes.has(secretHash) || native === undefined) return []
  const leg = escrow.owner === account ? 'source' : 'destination'
  const { owner: initiator, amount } = escrow
  const terms = { asset: native.asset.id, initiator, redeemer: redeemerOf(escrow), amount, secretHash, timelock: chain.timelocks[leg] }
  return [{ ...native, leg, terms, tx: transaction }]

  function redeemerOf({ destination, tag }: Escrow): string {
    return parseAddress(chain, tag === null ? destination : encodeTagged({ account: destination, tag, isTest: isTestNetwork(chain) }))
  }
}
