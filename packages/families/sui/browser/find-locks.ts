/** Finds open orders among the dynamic fields of the pinned registries, up to 1000 in a request. A settled order is a mark without terms. */
import { normalizeStructTag } from '@mysten/sui/utils'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { ListedLock, ListedLocks, LockSearch, Node, PinnedContract } from '@tandem/chain-kit/browser/family.ts'
import { legOf } from '@tandem/chain-kit/browser/scan-blocks.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { moduleName } from '../contract/client/calls.ts'
import { parseAddress } from '../terms/address.ts'
import { createContracts } from '../terms/htlc.ts'
import { type ListedField, openNode } from './node.ts'
import { Order } from './order-layout.ts'

export async function findLocks(search: LockSearch, on: Node): Promise<ListedLocks> {
  const { chain, budget, secretHashes, onProgress } = search
  const contracts = search.contracts.filter(({ deployment }) => deployment.package !== undefined)
  if (contracts.length === 0) throw new Error(`no package of ${chain.id} is known: name it in the option deployments`)
  const node = openNode(on)
  const locks: ListedLock[] = []
  let isCut = false
  for (const [done, of] of contracts.entries()) {
    const { registry, coinType } = createContracts(chain, [{ ...of.asset, deployment: of.deployment }]).of(of.asset.id)
    const type = normalizeStructTag(`${of.deployment.package}::${moduleName}::Order<${coinType}>`)
    let token: Uint8Array | null = null
    do {
      isCut = budget.left <= 0
      if (isCut) break
      const { fields, next } = await node.fieldsOf(registry, token)
      for (const field of fields) if (field.type === type) locks.push(...locksIn(of, field))
      token = next
    } while (token !== null)
    onProgress((done + 1) / contracts.length)
  }
  return { locks, since: null, ...(isCut && { isCut: true as const }) }

  function locksIn(of: PinnedContract, field: ListedField): readonly ListedLock[] {
    const order = termsIn(field.value)
    if (order === null || !secretHashes.has(order.secretHash)) return []
    return [{ ...of, leg: legOf(chain, order), terms: { ...order, asset: of.asset.id }, tx: '' }]
  }
}

function termsIn(value: Uint8Array): Omit<HtlcTerms, 'asset'> | null {
  try {
    const { initiator, redeemer, secretHash, timelock, amount } = Order.parse(value)
    return {
      initiator: parseAddress(initiator),
      redeemer: parseAddress(redeemer),
      secretHash: bytesToHex(Uint8Array.from(secretHash)),
      timelock: BigInt(timelock),
      amount: BigInt(amount),
    }
  } catch {
    // The contract writes other fields, so this is no order, whatever the node says.
    return null
  }
}
