/** Finds the accounts of orders that name the user's own account. A settled order may be closed, and then its account does not exist. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ListedLock, ListedLocks, LockSearch, Node } from '@tandem/chain-kit/browser/family.ts'
import { legOf } from '@tandem/chain-kit/browser/scan-blocks.ts'
import { decodeOrderAccount, type OrderAccount } from '../contract/client/decode.ts'
import { createContracts, isOrderOf, swapIdOf } from '../terms/htlc.ts'
import { type ProgramAccount, programAccounts } from './node.ts'

/** These are offsets in the data of an order, in the layout of `codecs.ts`. */
const OFFSETS = { initiator: 72, redeemer: 104 } as const

export async function findLocks(search: LockSearch, node: Node): Promise<ListedLocks> {
  const { chain, contracts, accounts, onProgress } = search
  const known = contracts.map((of) => ({
    of,
    contract: createContracts(chain, [{ ...of.asset, deployment: of.deployment }]).of(of.asset.id),
  }))
  const questions = [...new Set(known.map(({ contract }) => contract.program))].flatMap((program) =>
    accounts.flatMap((account) => Object.values(OFFSETS).map((offset) => ({ program, offset, account }))),
  )
  const locks: ListedLock[] = []
  for (const [done, { program, offset, account }] of questions.entries()) {
    for (const found of await programAccounts(node, program, offset, account)) locks.push(...locksIn(program, found))
    onProgress((done + 1) / questions.length)
  }
  return { locks, since: null }

  /** The result is empty if the account is no lock of the phrase. The address binds program and terms, so it cannot be invented. */
  function locksIn(program: string, { address, data }: ProgramAccount): readonly ListedLock[] {
    const order = orderIn(data)
    if (order === null) return []
    const { initiator, redeemer, amount, timelock, mint } = order
    const secretHash = bytesToHex(order.status === 'redeemed' ? sha256(Uint8Array.from(order.secret)) : Uint8Array.from(order.secretHash))
    const match = known.find(({ contract }) => contract.program === program && contract.mint === mint)
    if (match === undefined || !search.secretHashes.has(secretHash)) return []
    const terms = { asset: match.of.asset.id, initiator, redeemer, amount, secretHash, timelock }
    const isOurs = swapIdOf(match.contract, terms) === address && isOrderOf(match.contract, terms, order)
    return isOurs ? [{ ...match.of, leg: legOf(chain, terms), terms, tx: '' }] : []
  }
}

function orderIn(data: ProgramAccount['data']): OrderAccount | null {
  try {
    return decodeOrderAccount(data)
  } catch {
    // A node can call any account an order: the data decides.
    return null
  }
}
