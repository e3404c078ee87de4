/** Reads the account of an order. Its address follows from the terms; its content is compared with them too, because a node need not tell the truth. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { isSignature, type Signature } from '@solana/kit'
import { verifySame } from '@tandem/chain-kit/browser/check.ts'
import { assertFreshTip } from '@tandem/chain-kit/browser/clock.ts'
import type { Lock, Node, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { vaultAddress } from '../contract/client/addresses.ts'
import { decodeInstruction, decodeOrderAccount } from '../contract/client/decode.ts'
import { parseAddress } from '../terms/address.ts'
import { type HtlcContract, orderTermsOf, swapIdOf } from '../terms/htlc.ts'
import { accountInfo, blocksIn, blockTime, instructionsOf, signaturesOf } from './node.ts'

/** The order may be deeper than this; nothing depends on the exact depth. */
const DEEPEST = 200n

export async function readLock(contract: HtlcContract, { chain, terms }: SwapSide, node: Node): Promise<Lock | null> {
  const { slot, order } = await readOrder(contract, terms, node)
  if (order === null || order.status !== 'open') return null
  const { secretHash, ...expected } = orderTermsOf(contract, terms)
  for (const name of ['initiator', 'redeemer', 'amount', 'timelock', 'mint'] as const)
    verifySame(`lock.${name}`, expected[name], order[name])
  verifySame('lock.vault', contract.mint === null ? null : vaultAddress(parseAddress(swapIdOf(contract, terms))), order.vault)
  verifySame('lock.secretHash', bytesToHex(Uint8Array.from(secretHash)), bytesToHex(Uint8Array.from(order.secretHash)))
  const first = slot - order.initiatedSlot > DEEPEST ? slot - DEEPEST : order.initiatedSlot
  const blocks = await blocksIn(node, first, slot)
  assertFreshTip(chain, await blockTime(node, blocks.at(-1) ?? slot))
  return { confirmations: blocks.length, unitsLeft: order.initiatedSlot + terms.timelock - slot }
}

/** This limits the requests: strangers can name the account of an order in their own transactions. */
const MAX_TRANSACTIONS = 50

/** The account of a settled order can be closed. Then its transaction shows how; the one that the service names is read first. */
export async function settledAs(contract: HtlcContract, { terms, record }: SwapSide, node: Node): Promise<Settled> {
  const { order } = await readOrder(contract, terms, node)
  if (order !== null) return order.status === 'open' ? 'none' : order.status
  const address = swapIdOf(contract, terms)
  const endIn = async (signature: Signature) =>
    (await instructionsOf(node, signature))
      .flatMap((one) => decodeInstruction(contract.program, one) ?? [])
      .find((event) => event.order === address && (event.kind === 'redeemed' || event.kind === 'refunded'))?.kind
  const named = record.redeem_tx_hash
  const signatures = isSignature(named) ? [named] : []
  for (const signature of [...signatures, ...(await signaturesOf(node, address, MAX_TRANSACTIONS))]) {
    const end = await endIn(signature)
    if (end === 'redeemed' || end === 'refunded') return end
  }
  return 'unknown'
}

async function readOrder(contract: HtlcContract, terms: HtlcTerms, node: Node) {
  const { slot, account } = await accountInfo(node, swapIdOf(contract, terms))
  // Anyone can send lamports to the address before the initiation.
  return { slot, order: account?.owner === contract.program ? decodeOrderAccount(account.data) : null }
}
