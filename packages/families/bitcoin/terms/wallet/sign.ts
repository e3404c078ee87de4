/** Builds and signs our transactions: payments from a signer's own coins, and spends of HTLC deposits. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { OutScript, p2wpkh, SigHash, Transaction } from '@scure/btc-signer'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import type { Outpoint, TransactionOutput } from '../../server/script/transaction.ts'
import type { Leaf } from '../htlc.ts'

/** The sequence signals that the transaction may be replaced (BIP125), and has no relative timelock (BIP68). */
export const REPLACEABLE_SEQUENCE = 0xfffffffd

const MAX_VOUT = 0xffffffff

export type SpendableCoin = { readonly outpoint: Outpoint; readonly amount: bigint }
export type Witness = readonly Uint8Array[]
export type SignedTransaction = { readonly txid: string; readonly raw: string }

export function signWalletPayment(
  signer: Secp256k1RawSigner,
  coins: readonly SpendableCoin[],
  outputs: readonly TransactionOutput[],
): SignedTransaction {
  const transaction = compose(coins, p2wpkh(signer.publicKey).script, REPLACEABLE_SEQUENCE, outputs)
  for (const [index, { amount }] of coins.entries()) setWitness(transaction, index, walletWitness(signer, transaction, index, amount))
  return finish(transaction)
}

/** The signature covers the whole transaction, which must not change afterwards. It is for a coin of the signer's wallet. */
export function walletWitness(signer: Secp256k1RawSigner, transaction: Transaction, index: number, amount: bigint): Witness {
  // BIP143: the script code of P2WPKH is the P2PKH script of the same key hash.
  const scriptCode = OutScript.encode({ type: 'pkh', hash: p2wpkh(signer.publicKey).hash })
  const hash = transaction.preimageWitnessV0(index, scriptCode, SigHash.ALL, amount)
  const der = secp256k1.Signature.fromBytes(signer.signEcdsa(hash).subarray(0, 64), 'compact').toBytes('der')
  return [Uint8Array.of(...der, SigHash.ALL), signer.publicKey]
}

export function setWitness(transaction: Transaction, index: number, witness: Witness): void {
  transaction.updateInput(index, { finalScriptWitness: [...witness] }, true)
}

/** `items` stand between signature and script in the witness. */
export type LeafInput = SpendableCoin & {
  readonly script: Uint8Array
  readonly leaf: Leaf
  readonly items: readonly Uint8Array[]
  readonly timelock: bigint | null
}

export function signLeafSpends(signer: Secp256k1RawSigner, inputs: readonly LeafInput[], output: TransactionOutput): SignedTransaction {
  const transaction = composeLeafSpends(inputs, [], [output])
  for (const [index, witness] of leafWitnesses(signer, inputs, [], [output]).entries()) setWitness(transaction, index, witness)
  return finish(transaction)
}

type ScriptCoin = SpendableCoin & Pick<LeafInput, 'script'>

/** These are the witnesses of `inputs` in the transaction of `composeLeafSpends` with the same arguments. */
export function leafWitnesses(
  signer: Secp256k1RawSigner,
  inputs: readonly LeafInput[],
  coins: readonly ScriptCoin[],
  outputs: readonly TransactionOutput[],
): readonly Witness[] {
  const transaction = composeLeafSpends(inputs, coins, outputs)
  // BIP341: a signature is over the amounts and scripts of all inputs.
  const all = [...inputs, ...coins]
  const scripts = all.map(({ script }) => script)
  const amounts = all.map(({ amount }) => amount)
  return inputs.map(({ leaf, items }, index) => {
    const hash = transaction.preimageWitnessV1(index, scripts, SigHash.DEFAULT, amounts, undefined, leaf.script)
    return [signer.signSchnorr(hash), ...items, leaf.script, leaf.controlBlock]
  })
}

/** The coins follow the inputs. */
export function composeLeafSpends(
  inputs: readonly LeafInput[],
  coins: readonly ScriptCoin[],
  outputs: readonly TransactionOutput[],
): Transaction {
  const sequenced = inputs.map((input) => ({
    ...input,
    sequence: input.timelock === null ? REPLACEABLE_SEQUENCE : Number(input.timelock),
  }))
  return composeInputs([...sequenced, ...coins.map((coin) => ({ ...coin, sequence: REPLACEABLE_SEQUENCE }))], outputs)
}

export function compose(
  coins: readonly SpendableCoin[],
  script: Uint8Array,
  sequence: number,
  outputs: readonly TransactionOutput[],
): Transaction {
  return composeInputs(
    coins.map((coin) => ({ ...coin, script, sequence })),
    outputs,
  )
}

export function composeInputs(
  inputs: readonly (SpendableCoin & { readonly script: Uint8Array; readonly sequence: number })[],
  outputs: readonly TransactionOutput[],
): Transaction {
  // BIP68 gives nSequence its meaning only from version 2 on.
  const transaction = new Transaction({ version: 2, allowUnknownOutputs: true, allowUnknownInputs: true })
  for (const { outpoint, amount, script, sequence } of inputs) {
    const { txid, vout } = splitOutpoint(outpoint)
    transaction.addInput({ txid, index: vout, sequence, witnessUtxo: { script, amount } })
  }
  for (const output of outputs) transaction.addOutput(output)
  return transaction
}

export function finish(transaction: Transaction): SignedTransaction {
  return { txid: transaction.id, raw: bytesToHex(transaction.extract()) }
}

/** A coin has one name only: whoever compares names would miss what another one spends. */
export function splitOutpoint(outpoint: Outpoint): { readonly txid: string; readonly vout: number } {
  const match = /^([0-9a-f]{64}):(0|[1-9][0-9]{0,9})$/.exec(outpoint)
  const vout = Number(match?.[2])
  if (typeof outpoint !== 'string' || match?.[1] === undefined || vout > MAX_VOUT)
    throw new Error(`"${outpoint}" is not an outpoint: expected txid:vout`)
  return { txid: match[1], vout }
}

type WithAmount = { readonly amount: bigint }

export function byAmount(a: WithAmount, b: WithAmount): number {
  return a.amount < b.amount ? -1 : a.amount > b.amount ? 1 : 0
}

export function largestFirst(a: WithAmount, b: WithAmount): number {
  return byAmount(b, a)
}

export function totalOf(coins: readonly WithAmount[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n)
}
