/** What transactions did to watched HTLCs. Pure: the same transactions always give the same events. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { BlockRef, HtlcEvent } from '../../protocol/htlc.ts'
import type { Hex32 } from '../../protocol/secret.ts'
import type { WatchedSwap } from '../family.ts'
import type { Outpoint, ParsedTransaction, TransactionInput } from './transaction.ts'

export type SeenTransaction = { readonly transaction: ParsedTransaction; readonly block: BlockRef | null }

/** Which transactions matter: those that pay one of these scripts (hex) or spend one of these outputs. */
export type Watch = { readonly scripts: ReadonlySet<string>; readonly outpoints: ReadonlySet<Outpoint> }

/**
 * Deposits are matched by the whole scriptPubKey: the same leaves under another wrapper are another output, which our parties may be unable to spend.
 * `scriptOf` gives the scriptPubKey (hex) of a watched swap.
 */
export function deriveEvents(
  seen: readonly SeenTransaction[],
  watched: readonly WatchedSwap[],
  scriptOf: (swap: WatchedSwap) => string,
): readonly HtlcEvent[] {
  const byScript = new Map(watched.map((swap) => [scriptOf(swap), swap]))
  // First all deposits, then the spends: unconfirmed transactions come in no order.
  const byDeposit = new Map(watched.flatMap((swap) => swap.deposits.map((deposit) => [deposit, swap] as const)))
  for (const { transaction } of seen) {
    for (const [vout, output] of transaction.outputs.entries()) {
      const swap = byScript.get(bytesToHex(output.script))
      if (swap !== undefined) byDeposit.set(`${transaction.txid()}:${vout}`, swap)
    }
  }
  return seen.flatMap(({ transaction, block }) => [
    ...transaction.inputs.flatMap((input, vin): HtlcEvent[] => {
      const swap = byDeposit.get(input.outpoint)
      if (swap === undefined) return []
      const sighting = { swapId: swap.swapId, tx: transaction.txid(), index: `in:${vin}`, block, deposit: input.outpoint }
      const secret = findSecret(input, swap.terms.secretHash)
      return [secret === null ? { ...sighting, kind: 'refunded' } : { ...sighting, kind: 'redeemed', secret }]
    }),
    ...transaction.outputs.flatMap((output, vout): HtlcEvent[] => {
      const swap = byScript.get(bytesToHex(output.script))
      if (swap === undefined) return []
      const tx = transaction.txid()
      return [{ swapId: swap.swapId, tx, index: `out:${vout}`, block, deposit: `${tx}:${vout}`, kind: 'initiated', amount: output.amount }]
    }),
  ])
}

/** Where in the witness the secret stands depends on the spender (an annex, extra items), so every item of its size is tried. */
function findSecret(input: TransactionInput, secretHash: Hex32): Hex32 | null {
  const item = input.witness.find((bytes) => bytes.length === 32 && bytesToHex(sha256(bytes)) === secretHash)
  return item === undefined ? null : bytesToHex(item)
}
