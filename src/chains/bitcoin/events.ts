/** What transactions did to watched HTLCs. Pure: the same transactions always give the same events. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { SigHash } from '@scure/btc-signer'
import type { BlockRef, HtlcEvent, HtlcTerms } from '../../protocol/htlc.ts'
import type { Hex32 } from '../../protocol/secret.ts'
import type { WatchedSwap, WatchedSwaps } from '../port/watched-swaps.ts'
import { redeemScript } from './htlc.ts'
import type { BitcoinNetwork } from './networks.ts'
import { payoutScripts } from './script/payout-scripts.ts'
import { taprootAddressAt } from './script/taproot-address.ts'
import type { Outpoint, ParsedTransaction, TransactionOutput } from './script/transaction.ts'

export type SeenTransaction = { readonly transaction: ParsedTransaction; readonly block: BlockRef | null }

/** BIP340, and where another hash type than the default is meant one byte that names it. */
const SIGNATURE_BYTES = 64

/** Deposits are matched by the whole scriptPubKey: the same leaves under another wrapper are another output, which our parties may be unable to spend. */
export function deriveEvents(
  seen: readonly SeenTransaction[],
  watched: Pick<WatchedSwaps, 'bySwapId' | 'byDeposit'>,
  network: BitcoinNetwork,
): readonly HtlcEvent[] {
  const paidBy = new Map(seen.map(({ transaction }) => [transaction, depositsIn(transaction, watched, network)]))
  // First all deposits, then the spends: unconfirmed transactions come in no order.
  const fresh = new Map([...paidBy.values()].flat().map(({ deposit, swap }) => [deposit, swap]))
  const payoutsOf = rememberPayouts()
  return seen.flatMap(({ transaction, block }) => [
    ...transaction.inputs.flatMap((input, vin): HtlcEvent[] => {
      const swap = fresh.get(input.outpoint) ?? watched.byDeposit(input.outpoint)
      if (swap === undefined) return []
      const sighting = { swapId: swap.swapId, tx: transaction.txid(), index: `in:${vin}`, block, deposit: input.outpoint }
      return [{ ...sighting, ...readSpend(input.witness, swap.terms, { outputs: transaction.outputs, vin, payoutsOf }) }]
    }),
    ...(paidBy.get(transaction) ?? []).map(
      ({ deposit, vout, amount, swap }): HtlcEvent => ({
        swapId: swap.swapId,
        tx: transaction.txid(),
        index: `out:${vout}`,
        block,
        deposit,
        kind: 'initiated',
        amount,
        // BIP68: so many blocks after the one it is in.
        expiresAt: block === null ? null : block.height + swap.terms.timelock,
      }),
    ),
  ])
}

type Deposit = { readonly deposit: Outpoint; readonly vout: number; readonly amount: bigint; readonly swap: WatchedSwap }

function depositsIn(transaction: ParsedTransaction, watched: Pick<WatchedSwaps, 'bySwapId'>, network: BitcoinNetwork): readonly Deposit[] {
  return transaction.outputs.flatMap(({ script, amount }, vout) => {
    const address = taprootAddressAt(script, network)
    const swap = address === null ? undefined : watched.bySwapId(address)
    return swap === undefined ? [] : [{ deposit: `${transaction.txid()}:${vout}`, vout, amount, swap }]
  })
}

type Payouts = (redeemer: string) => ReadonlySet<string>
type Place = { readonly outputs: readonly TransactionOutput[]; readonly vin: number; readonly payoutsOf: Payouts }
type Spend = { readonly kind: 'redeemed' | 'refunded'; readonly secret: Hex32 | null }

/**
 * Who got it is one question, whether the secret is public now another: whoever spends may show it in a place where no script asks for it.
 * By a leaf, only the redeem leaf and what it asks for makes a redeem. By the key path, which both parties sign, it is the one whose wallet is paid.
 */
function readSpend(witness: readonly Uint8Array[], terms: HtlcTerms, { outputs, vin, payoutsOf }: Place): Spend {
  const secret = findSecret(witness, terms.secretHash)
  const [signature, ...rest] = withoutAnnex(witness)
  if (signature !== undefined && rest.length === 0) {
    const paid = signsOneOutput(signature) ? outputs.slice(vin, vin + 1) : outputs
    const redeemers = payoutsOf(terms.redeemer)
    return { kind: paid.some(({ script }) => redeemers.has(bytesToHex(script))) ? 'redeemed' : 'refunded', secret }
  }
  return { kind: isRedeemLeaf(withoutAnnex(witness), terms) ? 'redeemed' : 'refunded', secret }
}

/** One transaction may spend many HTLCs of one redeemer, and a key is read at the price of a curve operation. */
function rememberPayouts(): Payouts {
  const known = new Map<string, ReadonlySet<string>>()
  return (redeemer) => {
    const scripts = known.get(redeemer) ?? payoutScripts(redeemer)
    known.set(redeemer, scripts)
    return scripts
  }
}

/** BIP341: with SINGLE the signers agreed to the output at the place of the input, and to no other. */
function signsOneOutput(signature: Uint8Array): boolean {
  return ((signature[SIGNATURE_BYTES] ?? SigHash.DEFAULT) & 0b11) === SigHash.SINGLE
}

/** BIP341: the script's stack, the script and its control block. */
function isRedeemLeaf(items: readonly Uint8Array[], terms: HtlcTerms): boolean {
  const script = items.at(-2)
  if (script === undefined || bytesToHex(script) !== bytesToHex(redeemScript(terms))) return false
  return items.slice(0, -2).some((item) => isSecret(item, terms.secretHash))
}

/** Any item of 32 bytes, wherever it stands, and what an annex holds behind its first byte. */
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

/** BIP341: of two or more items, a last one that begins with 0x50 is the annex, which no script sees. */
function withoutAnnex(witness: readonly Uint8Array[]): readonly Uint8Array[] {
  return witness.length >= 2 && witness.at(-1)?.[0] === ANNEX_TAG ? witness.slice(0, -1) : witness
}
