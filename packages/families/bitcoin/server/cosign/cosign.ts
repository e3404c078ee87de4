/**
 * Makes co-signed redeems: one key path transaction spends all deposits to the redeemer's wallet.
 * The redeemer drafts it with its partial signatures, the initiators check and complete it, the redeemer verifies the result.
 */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { SigHash, type Transaction } from '@scure/btc-signer'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type BitcoinHtlc, htlcOf } from '../../terms/htlc.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { estimateVsize } from '../../terms/script/weight.ts'
import { affordableFee, type FeeRate, feeCap } from '../../terms/wallet/fees.ts'
import { composeInputs, finish, REPLACEABLE_SEQUENCE, totalOf } from '../../terms/wallet/sign.ts'
import { payoutScripts } from '../script/paid-out.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction, type TransactionOutput } from '../script/transaction.ts'
import { MAX_SPENT_AT_ONCE } from '../spend/spend-size.ts'
import { type KeyPathSide, signPartial, startSide, verifyPartial } from './key-path.ts'
import type { CosignDraft } from './payloads.ts'

/** The size is that of BIP340. BIP341: the default hash type has no byte and covers all inputs and all outputs. */
const SIGNATURE_BYTES = 64

export type CosignItem = { readonly terms: HtlcTerms; readonly deposits: readonly SpendableDeposit[] }
type Input = { readonly outpoint: Outpoint; readonly amount: bigint; readonly item: CosignItem; readonly htlc: BitcoinHtlc }

interface CosignSession {
  readonly nonces: readonly (readonly string[])[]
  /** The result is the complete transaction, in hex. A second call throws. */
  finish(draft: CosignDraft): string
}

export function draftCosigned(
  network: BitcoinNetwork,
  items: readonly (CosignItem & { readonly nonces: readonly string[] })[],
  signer: Secp256k1RawSigner,
  feeRate: FeeRate,
): CosignDraft {
  const inputs = inputsOf(network, items)
  if (inputs.length === 0 || inputs.length > MAX_SPENT_AT_ONCE)
    throw new ChainFailure('would-fail', `${inputs.length} deposits cannot be redeemed in one transaction, only 1 to ${MAX_SPENT_AT_ONCE}`)
  const nonces = items.flatMap((item) => {
    if (item.nonces.length === item.deposits.length) return item.nonces
    throw new TandemError('bad_request', `expected a nonce for each of ${item.deposits.length} deposits, got ${item.nonces.length}`)
  })
  const script = walletScript(signer, network)
  const total = totalOf(inputs)
  const vsize = estimateVsize(Array<readonly number[]>(inputs.length).fill([SIGNATURE_BYTES]), [script])
  const fee = affordableFee(vsize, feeRate, null, total, script, network)
  const transaction = compose(inputs, [{ amount: total - fee, script }])
  const parts = inputs.map(({ outpoint, item }, index) => {
    const side = startSide(network, item.terms, 'redeemer', outpoint, signer)
    return { deposit: outpoint, ...signPartial(side, hashOf(transaction, inputs, index), nonces[index] ?? '') }
  })
  return { transaction: bytesToHex(transaction.unsignedTx), inputs: parts }
}

export function startCosigning(
  network: BitcoinNetwork,
  items: readonly (CosignItem & { readonly signer: Secp256k1RawSigner })[],
): CosignSession {
  const known = new Map(inputsOf(network, items).map((input) => [input.outpoint, input]))
  const sides = items.map(({ terms, deposits, signer }) => deposits.map(({ id }) => startSide(network, terms, 'initiator', id, signer)))
  const sideOf = new Map(sides.flat().map((side) => [side.deposit, side]))
  let isFinished = false
  return {
    nonces: sides.map((ofItem) => ofItem.map(({ nonce }) => nonce)),
    finish(draft) {
      if (isFinished) throw new Error('this signing session is finished: a new one needs new nonces')
      isFinished = true
      return completeDraft(draft, known, sideOf)
    },
  }
}

function completeDraft(draft: CosignDraft, known: ReadonlyMap<Outpoint, Input>, sideOf: ReadonlyMap<Outpoint, KeyPathSide>): string {
  const parsed = parse(draft.transaction)
  const inputs = findInputs(parsed, known)
  assertWholeItems(inputs)
  const wallets = new Set([...new Set(inputs.map(({ item }) => item.terms.redeemer))].flatMap((key) => [...payoutScripts(key)]))
  // Watchers recognise a co-signed redeem by its payee: another output would look like a refund.
  assertPays(parsed.outputs, wallets)
  const transaction = compose(inputs, parsed.outputs)
  // Version, sequences and lock time must be ours too.
  if (bytesToHex(transaction.unsignedTx) !== draft.transaction) throw refused('it is not the plain, unsigned transaction that was expected')
  if (draft.inputs.some(({ deposit }, index) => deposit !== inputs[index]?.outpoint))
    throw refused('its partial signatures are not in the order of its inputs')
  const completions = inputs.map(({ outpoint }, index) => {
    const [side, part] = [sideOf.get(outpoint), draft.inputs[index]]
    if (side === undefined || part === undefined) throw refused(`there is no partial signature for ${outpoint}`)
    return verifyPartial(side, hashOf(transaction, inputs, index), part)
  })
  for (const [index, complete] of completions.entries()) transaction.updateInput(index, { finalScriptWitness: [complete()] }, true)
  return finish(transaction).raw
}

/** Throws unless the transaction spends all deposits of these items, each by a valid signature of both parties, to the redeemer's wallet at a sane fee. */
export function verifyCosigned(network: BitcoinNetwork, raw: string, items: readonly CosignItem[], redeemer: PublicKey): void {
  const expected = inputsOf(network, items)
  const parsed = parse(raw)
  const inputs = findInputs(parsed, new Map(expected.map((input) => [input.outpoint, input])))
  if (inputs.length !== expected.length) throw refused(`it spends ${inputs.length} of ${expected.length} deposits`)
  assertPays(parsed.outputs, new Set([bytesToHex(walletScript(redeemer, network))]))
  const total = totalOf(inputs)
  const fee = parsed.outputs.reduce((left, { amount }) => left - amount, total)
  if (fee < 0n || fee > feeCap(total, parsed.vsize, network)) throw refused(`its fee would be ${fee}`)
  const transaction = compose(inputs, parsed.outputs)
  if (transaction.id !== parsed.txid()) throw refused('its version, sequences or lock time are not as expected')
  for (const [index, { htlc, outpoint }] of inputs.entries()) {
    const [signature, ...more] = parsed.inputs[index]?.witness ?? []
    const isSigned = signature?.length === SIGNATURE_BYTES && more.length === 0
    if (!isSigned || !schnorr.verify(signature, hashOf(transaction, inputs, index), htlc.outputKey))
      throw refused(`the signature for ${outpoint} is wrong`)
  }
}

function inputsOf(network: BitcoinNetwork, items: readonly CosignItem[]): readonly Input[] {
  const inputs = items.flatMap((item) => {
    const htlc = htlcOf(item.terms, network)
    return item.deposits.map(({ id, amount }) => ({ outpoint: id, amount, item, htlc }))
  })
  if (new Set(inputs.map(({ outpoint }) => outpoint)).size !== inputs.length) throw refused('a deposit is named twice')
  return inputs
}

function parse(raw: string): ParsedTransaction {
  try {
    return parseTransaction(raw)
  } catch (cause) {
    throw refused('it cannot be read', cause)
  }
}

/** BIP341 signatures cover amounts and scripts of all inputs, so none may be unknown. */
function findInputs({ inputs }: ParsedTransaction, known: ReadonlyMap<Outpoint, Input>): readonly Input[] {
  const found = inputs.map(({ outpoint }) => {
    const input = known.get(outpoint)
    if (input === undefined) throw refused(`it spends ${outpoint}, which is not one of the deposits`)
    return input
  })
  if (new Set(found).size !== found.length) throw refused('it spends a deposit twice')
  return found
}

/** A whole item may be left out, but not some of its deposits. */
function assertWholeItems(inputs: readonly Input[]): void {
  const spent = new Set(inputs.map(({ outpoint }) => outpoint))
  for (const { item, htlc } of inputs)
    if (item.deposits.some(({ id }) => !spent.has(id))) throw refused(`it does not spend all deposits of ${htlc.address}`)
}

function assertPays(outputs: readonly TransactionOutput[], wallets: ReadonlySet<string>): void {
  if (outputs.length === 0 || outputs.some(({ script }) => !wallets.has(bytesToHex(script))))
    throw refused("it does not pay the redeemer's wallet alone")
}

function compose(inputs: readonly Input[], outputs: readonly TransactionOutput[]): Transaction {
  return composeInputs(
    inputs.map(({ outpoint, amount, htlc }) => ({ outpoint, amount, script: htlc.script, sequence: REPLACEABLE_SEQUENCE })),
    outputs,
  )
}

function hashOf(transaction: Transaction, inputs: readonly Input[], index: number): Uint8Array {
  const scripts = inputs.map(({ htlc }) => htlc.script)
  const amounts = inputs.map(({ amount }) => amount)
  return transaction.preimageWitnessV1(index, scripts, SigHash.DEFAULT, amounts)
}

function walletScript({ publicKey }: PublicKey, network: BitcoinNetwork): Uint8Array {
  return scriptOfAddress(walletAddress(publicKey, network), network)
}

function refused(reason: string, cause?: unknown): TandemError {
  return new TandemError('bad_request', `this co-signed redeem is invalid: ${reason}`, { cause })
}
