/**
 * Sends instant refunds that both parties signed. Their fee is fixed by the signatures and comes out of the deposits. If it is too low by now, one
 * coin of the outbox's signer pays the difference, as the last input, so that each deposit keeps the index of its output.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { inParallel } from '@tandem/chain-kit/providers/in-parallel.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { SignedInstantRefund } from '@tandem/protocol/order.ts'
import { scriptOfAddress, walletAddress } from '../../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import { dustLimit, feeCap, feeOf, MAX_RATE_FACTOR, outbiddingFee, rateOf, replacementFee } from '../../terms/wallet/fees.ts'
import { finish, REPLACEABLE_SEQUENCE, type SpendableCoin, setWitness, splitOutpoint, totalOf } from '../../terms/wallet/sign.ts'
import { type Action, type BuildRequest, execute, knownAttempts, whoSpent } from '../execute.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { Place } from '../nodes/backend.ts'
import { bitcoinSigning } from '../signing.ts'
import { MAX_SPENT_AT_ONCE } from '../spend/spend-size.ts'
import { freeCoins, readSponsorCoins, type SponsorCoins } from '../spend/sponsor-coins.ts'
import { hasWantedDescendant } from '../wallet/own-payments.ts'
import { urgentCheckingJobs } from './checking-jobs.ts'
import { composeRefunds } from './instant-refund.ts'

export async function sendInstantRefund(execution: Execution, terms: HtlcTerms, refunds: readonly SignedInstantRefund[]): Promise<string> {
  const { outbox } = execution
  if (refunds.length === 0) throw new ChainFailure('would-fail', 'there is no deposit to refund')
  const touching = (some: readonly SignedInstantRefund[]) =>
    knownAttempts(outbox).filter(({ slots }) => some.some(({ deposit }) => slots.includes(deposit)))
  const attempts = touching(refunds)
  const live = await placeOfNewest(execution, attempts)
  const states = await inParallel(refunds, async (refund) => stateIn(live, refund) ?? stateOf(execution, refund, attempts))
  const open = states.flatMap((state) => (state.kind === 'open' ? [state.refund] : [])).slice(0, MAX_SPENT_AT_ONCE)
  if (open.length === 0) return resultOf(states)

  let checked: Promise<readonly (readonly Uint8Array[])[]> | null = null
  const witnesses = () => {
    checked ??= checkWitnesses(execution, terms, open)
    return checked
  }
  let payable: PayableFee | null = null
  const action: Action = {
    attempts: touching(open),
    // The coins are read before the key is held: all that the key signs on this chain waits for it, and nodes may be slow.
    holds: (request) => async (work) => {
      payable = await readPayableFee(execution, open, await witnesses(), request)
      return outbox.withKey(work)
    },
    // The deposits have just been checked. The signatures are checked here, so that other actions need not wait for the key meanwhile.
    async inspect() {
      await witnesses()
      return { kind: 'clear' }
    },
    build: async (_, held) => build(held, terms, open, await witnesses(), payable),
    // Deposits are other people's transactions: we cannot rebroadcast them.
    restoreInputs: async () => false,
    mayReplace: (live, others) => !hasWantedDescendant({ ...outbox, others }, live),
  }
  return execute(execution, action)
}

/**
 * open: unspent, or spent only by an unconfirmed transaction of ours.
 * settled: spent by somebody else, or by a mined transaction of ours.
 * missing: its transaction is neither mined nor in the mempool.
 */
type RefundState =
  | { readonly kind: 'open'; readonly refund: SignedInstantRefund }
  | { readonly kind: 'settled'; readonly refund: SignedInstantRefund; readonly tx: string; readonly isOurs: boolean }
  | { readonly kind: 'missing'; readonly refund: SignedInstantRefund }

type Live = { readonly attempt: KnownAttempt; readonly place: Place }

async function placeOfNewest({ backend }: Execution, attempts: readonly KnownAttempt[]): Promise<Live | null> {
  const attempt = attempts.at(-1)
  const place = attempt === undefined ? null : await backend.placeOf(attempt.transaction)
  return attempt === undefined || place === null ? null : { attempt, place }
}

/** While a node has our attempt, it spends its deposits: one request instead of two for each of them. */
function stateIn(live: Live | null, refund: SignedInstantRefund): RefundState | null {
  if (live === null || !live.attempt.slots.includes(refund.deposit)) return null
  return live.place === 'mempool' ? { kind: 'open', refund } : { kind: 'settled', refund, tx: live.attempt.tx, isOurs: true }
}

async function stateOf(execution: Execution, refund: SignedInstantRefund, attempts: readonly KnownAttempt[]): Promise<RefundState> {
  if ((await execution.backend.output(refund.deposit)).state === 'unspent') return { kind: 'open', refund }
  const spender = await whoSpent(execution, refund.deposit, attempts)
  if (spender === null) return { kind: 'missing', refund }
  const { txid: tx, isOurs } = spender
  return isOurs && spender.confirmations === 0n ? { kind: 'open', refund } : { kind: 'settled', refund, tx, isOurs }
}

/** An instant refund never competes with another spend of its deposit. */
function resultOf(states: readonly RefundState[]): string {
  const settled = states.flatMap((state) => (state.kind === 'settled' ? [state] : []))
  const own = settled.find(({ isOurs }) => isOurs)
  if (own !== undefined) return own.tx
  const [first] = settled
  if (first !== undefined) throw new ChainFailure('superseded', `the deposit ${first.refund.deposit} was spent by ${first.tx}`)
  throw new ChainFailure('superseded', `the deposit ${states[0]?.refund.deposit} is not on the chain now, or was spent long ago`)
}

async function checkWitnesses(
  { network }: Execution,
  terms: HtlcTerms,
  refunds: readonly SignedInstantRefund[],
): Promise<readonly (readonly Uint8Array[])[]> {
  const read = await urgentCheckingJobs('witnesses', [network, terms, refunds])
  return refunds.map(({ deposit }, index) => {
    const witness = read[index] ?? null
    if (witness === null) throw new ChainFailure('would-fail', `the signatures for ${deposit} are invalid`)
    return witness
  })
}

async function build(
  execution: HeldExecution,
  terms: HtlcTerms,
  refunds: readonly SignedInstantRefund[],
  witnesses: readonly (readonly Uint8Array[])[],
  payable: PayableFee | null,
): Promise<Draft> {
  const { network, outbox, signer } = execution
  const payment = payable === null ? null : chooseFeeInput(execution, payable)
  const transaction = composeRefunds(network, terms, refunds)
  if (payment !== null) {
    const { txid, vout } = splitOutpoint(payment.coin.outpoint)
    const witnessUtxo = { script: payment.ownScript, amount: payment.coin.amount }
    transaction.addInput({ txid, index: vout, sequence: REPLACEABLE_SEQUENCE, witnessUtxo })
    transaction.addOutput({ script: payment.ownScript, amount: payment.change })
    const unsigned = bytesToHex(transaction.unsignedTx)
    setWitness(transaction, refunds.length, await bitcoinSigning.sign('walletInput', signer, unsigned, refunds.length, payment.coin.amount))
  }
  for (const [index, witness] of witnesses.entries()) transaction.updateInput(index, { finalScriptWitness: [...witness] }, true)
  const signed = finish(transaction)
  // The same transaction was refused before. The node may accept its fee later, or the ordinary refund is mined first.
  if (outbox.attempts.some((attempt) => attempt.tx === signed.txid))
    throw new ChainFailure('would-fail', 'the node does not accept the instant refund at its agreed fee')
  return { signed, fee: payment?.fee ?? agreedFee(refunds) }
}

function agreedFee(refunds: readonly SignedInstantRefund[]): bigint {
  return refunds.reduce((sum, { amount, pays }) => sum + amount - pays, 0n)
}

type FeeInput = { readonly coin: SpendableCoin; readonly ownScript: Uint8Array; readonly change: bigint; readonly fee: bigint }

type PayableFee = FeePlan & { readonly coins: SponsorCoins }

type FeePlan = {
  readonly fee: bigint
  readonly missing: bigint
  readonly ownScript: Uint8Array
}

/** The result is null if the agreed fee is enough, or no coin can bump it. */
async function readPayableFee(
  execution: Execution,
  refunds: readonly SignedInstantRefund[],
  witnesses: readonly (readonly Uint8Array[])[],
  request: BuildRequest,
): Promise<PayableFee | null> {
  const plan = planFee(execution, refunds, witnesses, request)
  if (plan === null) return null
  const coins = await readSponsorCoins(execution, execution.outbox.key.publicKey, request.live)
  if (coins !== null) return { ...plan, coins }
  // A first attempt can be sent at the agreed fee; a replacement at that fee is useless.
  if (request.replaced === null) return null
  throw new ChainFailure('unreachable', 'the coins that would pay a higher fee cannot be read now')
}

function planFee(
  { network, outbox }: Execution,
  refunds: readonly SignedInstantRefund[],
  witnesses: readonly (readonly Uint8Array[])[],
  { feeRate, replaced }: BuildRequest,
): FeePlan | null {
  const lengths = witnesses.map((items) => items.map((item) => item.length))
  const scripts = refunds.map(({ to }) => scriptOfAddress(to, network))
  const agreed = agreedFee(refunds)
  const bareVsize = estimateVsize(lengths, scripts)
  if (agreed >= replacementFee(bareVsize, feeRate, replaced, network)) return null

  const ownScript = scriptOfAddress(walletAddress(outbox.key.publicKey, network), network)
  const vsize = estimateVsize([...lengths, WALLET_WITNESS], [...scripts, ownScript])
  const wanted = replacementFee(vsize, feeRate, replaced, network)
  // BIP125 rule 3: a replacement also pays for the payee's own child. We do not outbid it: with it, the payee has bumped the fee itself.
  if (wanted - agreed > feeOf(vsize, feeRate) * MAX_RATE_FACTOR) return null
  const cap = feeCap(totalOf(refunds), vsize, network)
  const fee = wanted < cap ? wanted : cap
  const isUseful =
    fee > agreed && (replaced === null ? rateOf(fee, vsize) > rateOf(agreed, bareVsize) : fee >= outbiddingFee(vsize, replaced, network))
  return isUseful ? { fee, missing: fee - agreed, ownScript } : null
}

/** The coin of the replaced attempt comes first. The result is null if other actions use all coins that are large enough. */
function chooseFeeInput(held: HeldExecution, { fee, missing, ownScript, coins }: PayableFee): FeeInput | null {
  const changeOf = ({ amount }: SpendableCoin) => amount - missing
  const coin = [...coins.used, ...freeCoins(held, coins.unspent)].find((one) => changeOf(one) >= dustLimit(ownScript, held.network))
  return coin === undefined ? null : { coin, ownScript, change: changeOf(coin), fee }
}
