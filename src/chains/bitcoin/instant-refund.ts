/**
 * Instant refunds: both parties together spend deposits by the instant-refund leaf before the timelock ends.
 * Each deposit pays an output of its own, so that what the redeemer signs is one deposit and one output and nothing else.
 */
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { SigHash } from '@scure/btc-signer'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '../../protocol/order.ts'
import { ChainFailure, type Signer, type SpendRequest } from '../family.ts'
import { scriptOfAddress } from './address.ts'
import { type Action, type Draft, type Execution, execute, type KnownAttempt, knownAttempts, type Standing, whoSpent } from './execute.ts'
import { dustLimit, type FeeRate, feeOf, largestFee } from './fees.ts'
import { type BitcoinHtlc, htlcOf } from './htlc.ts'
import { identityOf } from './identity.ts'
import type { BitcoinNetwork } from './networks.ts'
import { compose, finish, REPLACEABLE_SEQUENCE, type SignedTransaction } from './sign.ts'
import { MAX_REFUNDED_AT_ONCE, requireParty } from './spend.ts'
import { estimateVsize } from './weight.ts'

/** BIP341: with ANYONECANPAY and SINGLE a signature is over this input and the output at the same place, wherever that is. */
const CONSENT_SIGHASH = SigHash.SINGLE_ANYONECANPAY
/** BIP340, and one byte that names the hash type. */
const CONSENT_BYTES = 65
const SIGNATURE_BYTES = 64

/** Deposits that cannot bear the whole fee would slow down the others: they wait for the ordinary refund. */
export function proposeInstantRefunds(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  { deposits, to }: SpendRequest & { readonly to: string },
  feeRate: FeeRate,
): readonly InstantRefund[] {
  const outputScript = scriptOfAddress(to, network)
  const vsize = instantRefundVsize(htlcOf(terms, network), outputScript)
  const fee = feeOf(vsize, feeRate)
  const worthy = deposits
    .filter(({ amount }) => fee <= largestFee(amount, vsize) && amount - fee >= dustLimit(outputScript))
    .sort((a, b) => (a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : 0))
  if (worthy.length === 0)
    throw new ChainFailure('would-fail', `uneconomic: no deposit bears the ${fee} sat that giving it back at once costs now`)
  return worthy.slice(0, MAX_REFUNDED_AT_ONCE).map(({ id, amount }) => ({ deposit: id, amount, to, pays: amount - fee }))
}

/** Of a transaction with this one deposit: several together are smaller than their sum. */
function instantRefundVsize({ instantRefund }: BitcoinHtlc, outputScript: Uint8Array): bigint {
  return estimateVsize([[CONSENT_BYTES, SIGNATURE_BYTES, instantRefund.script.length, instantRefund.controlBlock.length]], [outputScript])
}

/** By the redeemer. It cannot be used for another deposit, another output, or another HTLC. */
export function signInstantRefund(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund, signer: Signer): string {
  if (identityOf(signer) !== terms.redeemer) throw new Error('only the redeemer of these terms gives this consent')
  return bytesToHex(Uint8Array.of(...signer.signSchnorr(consentHash(network, terms, refund)), CONSENT_SIGHASH))
}

export function verifyInstantRefund(network: BitcoinNetwork, terms: HtlcTerms, refund: SignedInstantRefund): boolean {
  if (!/^[0-9a-f]{130}$/.test(refund.signature)) return false
  const signature = hexToBytes(refund.signature)
  if (signature[CONSENT_BYTES - 1] !== CONSENT_SIGHASH) return false
  return schnorr.verify(signature.subarray(0, -1), consentHash(network, terms, refund), hexToBytes(terms.redeemer))
}

function consentHash(network: BitcoinNetwork, terms: HtlcTerms, refund: InstantRefund): Uint8Array {
  const { script, instantRefund } = htlcOf(terms, network)
  return composeRefunds(network, script, [refund]).preimageWitnessV1(
    0,
    [script],
    CONSENT_SIGHASH,
    [refund.amount],
    undefined,
    instantRefund.script,
  )
}

function composeRefunds(network: BitcoinNetwork, script: Uint8Array, refunds: readonly InstantRefund[]) {
  return compose(
    refunds.map(({ deposit, amount }) => ({ outpoint: deposit, amount })),
    script,
    REPLACEABLE_SEQUENCE,
    refunds.map(({ to, pays }) => ({ amount: pays, script: scriptOfAddress(to, network) })),
  )
}

/** Adds the initiator's signatures, which are over the whole transaction: nobody can take it apart. */
function completeRefunds(
  network: BitcoinNetwork,
  terms: HtlcTerms,
  refunds: readonly SignedInstantRefund[],
  signer: Signer,
): SignedTransaction {
  const { script, instantRefund: leaf } = htlcOf(terms, network)
  const transaction = composeRefunds(network, script, refunds)
  const scripts = refunds.map(() => script)
  const amounts = refunds.map(({ amount }) => amount)
  for (const [index, { signature }] of refunds.entries()) {
    const hash = transaction.preimageWitnessV1(index, scripts, SigHash.DEFAULT, amounts, undefined, leaf.script)
    // BIP342: the last item is on top of the stack, and the initiator's signature is checked first.
    const witness = [hexToBytes(signature), signer.signSchnorr(hash), leaf.script, leaf.controlBlock]
    transaction.updateInput(index, { finalScriptWitness: witness }, true)
  }
  return finish(transaction)
}

export async function sendInstantRefund(
  execution: Execution,
  network: BitcoinNetwork,
  terms: HtlcTerms,
  refunds: readonly SignedInstantRefund[],
): Promise<string> {
  const { backend, outbox } = execution
  requireParty(outbox.signer, terms.initiator, 'initiator')
  if (refunds.length === 0) throw new ChainFailure('would-fail', 'there is no deposit to give back')
  const ids = new Set(refunds.map(({ deposit }) => deposit))
  const attempts = knownAttempts(outbox).filter((attempt) => attempt.slots.some((slot) => ids.has(slot)))

  async function build(): Promise<Draft> {
    const signed = completeRefunds(network, terms, refunds, outbox.signer)
    // Its fee was fixed when both signed: what the node does not take now it may take later, or the ordinary refund comes first.
    if (attempts.some((attempt) => attempt.tx === signed.txid))
      throw new ChainFailure('would-fail', 'the node does not take the instant refund at the fee that was agreed for it')
    return { signed, fee: refunds.reduce((sum, { amount, pays }) => sum + amount - pays, 0n) }
  }

  async function inspect(): Promise<Standing> {
    for (const id of ids) {
      if ((await backend.output(id)).state === 'unspent') continue
      const spender = await whoSpent(execution, id, attempts)
      if (spender === null) throw new ChainFailure('superseded', `the deposit ${id} is not on the chain now, or was spent long ago`)
      if (spender.isOurs) return { kind: 'done', tx: spender.txid }
      throw new ChainFailure('superseded', `the deposit ${id} was spent by ${spender.txid}`)
    }
    return { kind: 'clear' }
  }

  const action: Action = { attempts, build, inspect, restoreInputs: async () => false, mayReplace: (_live: KnownAttempt) => false }
  return execute(execution, action)
}
