/** Derives the events of watched HTLCs from transactions: the same transactions always give the same events. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { SigHash } from '@scure/btc-signer'
import type { FoundSwaps, WatchedSwap, WatchedSwaps } from '@tandem/chain-kit/port/watched-swaps.ts'
import type { BlockRef, HtlcEvent, HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { redeemScript } from '../terms/htlc.ts'
import type { BitcoinNetwork } from '../terms/networks.ts'
import { paidOut, payoutScripts } from './script/paid-out.ts'
import { taprootAddressAt } from './script/taproot-address.ts'
import { isCoinbase, type Outpoint, type ParsedTransaction, type TransactionOutput } from './script/transaction.ts'

export type SeenTransaction = { readonly transaction: ParsedTransaction; readonly block: BlockRef | null }

/** A BIP340 signature has one byte more for a hash type other than the default. */
const SIGNATURE_BYTES = 64

export async function findEvents(
  seen: readonly SeenTransaction[],
  watched: WatchedSwaps,
  network: BitcoinNetwork,
): Promise<readonly HtlcEvent[]> {
  if (seen.length === 0) return []
  const outputs = seen.flatMap(({ transaction }) => transaction.outputs)
  const found = await watched.find({
    swapIds: new Set(outputs.flatMap(({ script }) => taprootAddressAt(script, network) ?? [])),
    spent: seen.flatMap(({ transaction }) => transaction.inputs.map(({ outpoint }) => outpoint)),
  })
  return deriveEvents(seen, found, network)
}

/** Deposits are matched by the whole scriptPubKey. The same leaves in another output type may be unspendable for our parties. */
function deriveEvents(seen: readonly SeenTransaction[], swaps: FoundSwaps, network: BitcoinNetwork): readonly HtlcEvent[] {
  const paidBy = new Map(seen.map(({ transaction }) => [transaction, depositsIn(transaction, swaps, network)]))
  // Find all deposits before the spends: unconfirmed transactions come in any order.
  const fresh = new Map([...paidBy.values()].flat().map(({ deposit, swap }) => [deposit, swap]))
  const spentBy = (outpoint: Outpoint) => fresh.get(outpoint) ?? swaps.byDeposit(outpoint)
  return seen.flatMap(({ transaction, block }) => [
    ...spendsIn(
      transaction,
      transaction.inputs.map(({ outpoint }) => spentBy(outpoint)),
      block,
    ),
    ...(paidBy.get(transaction) ?? []).map(
      ({ deposit, vout, amount, swap }): HtlcEvent => ({
        swapId: swap.swapId,
        tx: transaction.txid(),
        index: `out:${vout}`,
        block,
        deposit,
        kind: 'initiated',
        amount,
        // BIP68: the timelock counts blocks after the block of the deposit.
        expiresAt: block === null ? null : block.height + swap.terms.timelock,
      }),
    ),
  ])
}

type Deposit = { readonly deposit: Outpoint; readonly vout: number; readonly amount: bigint; readonly swap: WatchedSwap }

/** The reward of a block is no deposit: nobody can spend it for 100 blocks, so its redeemer could not collect it before the timelock ends. */
function depositsIn(transaction: ParsedTransaction, swaps: FoundSwaps, network: BitcoinNetwork): readonly Deposit[] {
  if (isCoinbase(transaction)) return []
  return transaction.outputs.flatMap(({ script, amount }, vout) => {
    const address = taprootAddressAt(script, network)
    const swap = address === null ? undefined : swaps.bySwapId(address)
    return swap === undefined ? [] : [{ deposit: `${transaction.txid()}:${vout}`, vout, amount, swap }]
  })
}

function spendsIn(
  transaction: ParsedTransaction,
  spent: readonly (WatchedSwap | undefined)[],
  block: BlockRef | null,
): readonly HtlcEvent[] {
  if (spent.every((swap) => swap === undefined)) return []
  const paid = paidOut(
    transaction.inputs.map(({ witness }, vin) => ({
      swapId: spent[vin]?.swapId ?? null,
      signsOneOutput: signsOneOutput(withoutAnnex(witness)),
    })),
    transaction.outputs.map(({ amount }) => amount),
  )
  return transaction.inputs.flatMap((input, vin): HtlcEvent[] => {
    const [swap, amount] = [spent[vin], paid[vin] ?? null]
    if (swap === undefined) return []
    const common = { swapId: swap.swapId, tx: transaction.txid(), index: `in:${vin}`, block, deposit: input.outpoint }
    const spend = readSpend(input.witness, swap.terms, { outputs: transaction.outputs, vin })
    return [{ ...common, ...spend, ...(amount !== null && { paid: amount }) }]
  })
}

type Place = { readonly outputs: readonly TransactionOutput[]; readonly vin: number }
type Spend = { readonly kind: 'redeemed' | 'refunded'; readonly secret: Hex32 | null }

/**
 * The receiver of the money and whether the secret is public are separate questions: a spender may show the secret where no script needs it.
 * A spend by script path is a redeem only if it uses the redeem leaf with its secret. For a key path spend, which both parties sign, the paid wallet decides.
 */
function readSpend(witness: readonly Uint8Array[], terms: HtlcTerms, { outputs, vin }: Place): Spend {
  const secret = findSecret(witness, terms.secretHash)
  const items = withoutAnnex(witness)
  if (items.length === 1) {
    const paid = signsOneOutput(items) ? outputs.slice(vin, vin + 1) : outputs
    const redeemers = payoutScripts(terms.redeemer)
    return { kind: paid.some(({ script }) => redeemers.has(bytesToHex(script))) ? 'redeemed' : 'refunded', secret }
  }
  return { kind: isRedeemLeaf(items, terms) ? 'redeemed' : 'refunded', secret }
}

/** BIP341: SINGLE signs only the output with the index of the input. By script path the last two items are no signatures. */
function signsOneOutput(items: readonly Uint8Array[]): boolean {
  const signatures = (items.length === 1 ? items : items.slice(0, -2)).filter(({ length }) => length === SIGNATURE_BYTES + 1)
  return signatures.some((signature) => ((signature[SIGNATURE_BYTES] ?? SigHash.DEFAULT) & 0b11) === SigHash.SINGLE)
}

/** BIP341: the witness has the script's stack, the script and its control block. */
function isRedeemLeaf(items: readonly Uint8Array[], terms: HtlcTerms): boolean {
  const script = items.at(-2)
  if (script === undefined || bytesToHex(script) !== bytesToHex(redeemScript(terms))) return false
  return items.slice(0, -2).some((item) => isSecret(item, terms.secretHash))
}

/** The secret may be any witness item of 32 bytes, or the annex without its first byte. */
function findSecret(witness: readonly Uint8Array[], secretHash: Hex32): Hex32 | null {
  const last = witness.at(-1)
  const candidates = last?.[0] === ANNEX_TAG ? [...witness, last.subarray(1)] : witness
  const secret = candidates.find((item) => isSecret(item, secretHash))
  return secret === undefined ? null : bytesToHex(secret)
}

function isSecret(bytes: Uint8Array, secretHash: Hex32): boolean {
  return bytes.length === 32 && bytesToHex(sha256(bytes)) === secretHash
}

const ANNEX_TAG = 0x50

/** BIP341: the last of two or more items is the annex if it begins with 0x50. No script sees it. */
function withoutAnnex(witness: readonly Uint8Array[]): readonly Uint8Array[] {
  return witness.length >= 2 && witness.at(-1)?.[0] === ANNEX_TAG ? witness.slice(0, -1) : witness
}
