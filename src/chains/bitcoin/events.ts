/** What transactions did to watched HTLCs. Pure: the same transactions always give the same events. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { BlockRef, HtlcEvent, HtlcTerms } from '../../protocol/htlc.ts'
import type { Hex32 } from '../../protocol/secret.ts'
import type { WatchedSwap } from '../family.ts'
import { redeemScript } from './htlc.ts'
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
      const secret = redeemedWith(input, swap.terms)
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

/** The secret, if the deposit was redeemed; null for a refund, whatever its witness shows beside what its leaf asks for. */
function redeemedWith({ witness }: TransactionInput, terms: HtlcTerms): Hex32 | null {
  const { stack, script } = readScriptPath(witness)
  if (script === undefined || bytesToHex(script) !== bytesToHex(redeemScript(terms))) return null
  const secret = stack.find((bytes) => bytes.length === 32 && bytesToHex(sha256(bytes)) === terms.secretHash)
  return secret === undefined ? null : bytesToHex(secret)
}

/** BIP341: a last item that begins with 0x50 is the annex, which means nothing; the others are the script's stack, the script and its control block. */
function readScriptPath(witness: readonly Uint8Array[]): {
  readonly stack: readonly Uint8Array[]
  readonly script: Uint8Array | undefined
} {
  const hasAnnex = witness.length >= 2 && witness.at(-1)?.[0] === 0x50
  const items = hasAnnex ? witness.slice(0, -1) : witness
  return { stack: items.slice(0, -2), script: items.at(-2) }
}
