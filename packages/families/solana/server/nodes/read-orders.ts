/** Reads the accounts of orders as of a block, from one provider. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { decodeOrderAccount, type OrderAccount } from '../../contract/client/decode.ts'
import type { NodeAccount, OrderQuery, SolanaNode } from './node.ts'

type Accounts = (addresses: OrderQuery['addresses'], minSlot: bigint) => Promise<readonly (NodeAccount | null)[]>

export function createOrderReader(accounts: Accounts, blocks: Pick<SolanaNode, 'block'>): Pick<SolanaNode, 'orders'> {
  return {
    async orders({ program, addresses, last }) {
      const [found, block] = await Promise.all([accounts(addresses, last.height), blocks.block(last.height)])
      if (block?.hash !== last.hash) throw new ChainFailure('unreachable', `it is on another branch at slot ${last.height}`)
      return found.map((account) => asOf(account?.owner === program ? decodeOrderAccount(account.data) : null, last.height))
    },
  }
}

/** Nodes show only the newest state. An order keeps the slots of its changes, so later changes are left out, and nodes at different slots agree. */
function asOf(order: OrderAccount | null, slot: bigint): OrderAccount | null {
  if (order === null || order.initiatedSlot > slot) return null
  if (order.status === 'open' || order.settledSlot <= slot) return order
  const { settledSlot: _, ...rest } = order
  return rest.status === 'refunded'
    ? { ...rest, status: 'open' }
    : { ...rest, status: 'open', secretHash: sha256(Uint8Array.from(rest.secret)) }
}

export function keyOfOrder(order: OrderAccount | null): string {
  if (order === null) return 'none'
  const { initiator, redeemer, amount, timelock, mint, vault, status, initiatedSlot, initiateBefore, rentPayer } = order
  const shown = bytesToHex(Uint8Array.from(order.status === 'redeemed' ? order.secret : order.secretHash))
  const settled = order.status === 'open' ? 0n : order.settledSlot
  return [initiator, redeemer, amount, timelock, mint, vault, status, initiatedSlot, initiateBefore, rentPayer, shown, settled].join(' ')
}
