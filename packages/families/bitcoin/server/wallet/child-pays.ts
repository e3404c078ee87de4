/**
 * Bumps fees by CPFP: a child spends an output of ours of an unconfirmed transaction that must not or cannot be replaced, and pays for
 * both.
 * A further fee bump replaces the child, or adds a child of the child where nodes do not support RBF.
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { p2wpkh } from '@scure/btc-signer'
import type { Attempt, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { max, min } from '@tandem/protocol/bigint.ts'
import { estimateVsize, WALLET_WITNESS } from '../../terms/script/weight.ts'
import {
  boundFeeRate,
  childFeeCap,
  dustLimit,
  type FeeRate,
  feeCap,
  feeOf,
  MAX_RATE_FACTOR,
  outbiddingFee,
  raisedRate,
  rateOf,
} from '../../terms/wallet/fees.ts'
import { type SpendableCoin, splitOutpoint } from '../../terms/wallet/sign.ts'
import type { Draft, Execution, HeldExecution, KnownAttempt } from '../execution.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { type Outpoint, type ParsedTransaction, parseTransaction } from '../script/transaction.ts'
import { bitcoinSigning } from '../signing.ts'

export const CHILD_VSIZE = estimateVsize([WALLET_WITNESS], [new Uint8Array(22)])

export type UnconfirmedChain = {
  /** Parents come before children. */
  readonly members: readonly KnownAttempt[]
  /** The child only pays for the members (CPFP) and may be replaced. It is not one of them. */
  readonly child: KnownAttempt | null
  /** A child would spend this output. It is null if no output of ours is left, or a wanted payment uses it. */
  readonly coin: SpendableCoin | null
}

type Signed = Attempt & { readonly wanted: boolean }

export function isChildOf({ slots }: Pick<Attempt, 'slots'>, { tx }: Pick<Attempt, 'tx'>): boolean {
  return slots.some((slot) => splitOutpoint(slot).txid === tx)
}

/** Follows our own outputs from the unconfirmed transaction to the last one that no wanted transaction of ours spends. */
export async function findUnconfirmedChain({ backend, network, outbox, others }: Execution, live: KnownAttempt): Promise<UnconfirmedChain> {
  const ownScript = walletScript(outbox)
  const signed: readonly Signed[] = [...others, ...outbox.attempts.map((attempt) => ({ ...attempt, wanted: true }))]
  const spendersOf = (outpoint: Outpoint) => signed.filter(({ slots }) => slots.includes(outpoint)).toReversed()
  const members = [...(await unminedParents(backend, signed, live)), live]
  for (let coin = coinFor(live, ownScript); coin !== null; ) {
    const { outpoint } = coin
    const spenders = spendersOf(outpoint)
    const spender = await firstUnconfirmed(backend, spenders)
    if (spender === null) {
      const isClaimed = spenders.some(({ wanted, raw }) => wanted && !paysOnly(parseTransaction(raw), ownScript))
      return { members, child: null, coin: isClaimed ? null : coin }
    }
    const next = coinFor(spender, ownScript)
    const isLast = next !== null && !spendersOf(next.outpoint).some(({ wanted }) => wanted)
    if (network.replaces && isLast && spender.slots.length === 1 && paysOnly(spender.transaction, ownScript))
      return { members, child: spender, coin }
    members.push(spender)
    coin = next
  }
  return { members, child: null, coin: null }
}

export async function buildChild(
  { network, outbox, signer }: HeldExecution,
  live: KnownAttempt,
  { members, child, coin }: UnconfirmedChain,
  feeRate: FeeRate,
): Promise<Draft | null> {
  if (coin === null) return null
  const ownScript = walletScript(outbox)
  const paid = members.reduce((sum, member) => sum + paidBy(member), 0n)
  const vsize = members.reduce((sum, { transaction }) => sum + transaction.vsize, 0n)
  const current = child === null ? rateOf(paid, vsize) : rateOf(paid + paidBy(child), vsize + child.transaction.vsize)
  const target = boundFeeRate(max(feeRate, raisedRate(current)), network)
  const given = live.transaction.outputs
    .filter(({ script }) => bytesToHex(script) !== ownScript)
    .reduce((sum, { amount }) => sum + amount, 0n)
  if (given > 0n && target > feeRate * MAX_RATE_FACTOR) return null
  const atStake = given > 0n ? given : live.transaction.outputs.reduce((sum, { amount }) => sum + amount, paidBy(live))

  const useful =
    child === null
      ? feeOf(CHILD_VSIZE, boundFeeRate(raisedRate(current), network))
      : outbiddingFee(CHILD_VSIZE, { fee: feeOf(child.transaction.vsize, child.feeRate + 1n), rate: child.feeRate }, network)
  const wanted = max(feeOf(vsize + CHILD_VSIZE, target) - paid, useful)
  const left = coin.amount - dustLimit(p2wpkh(signer.publicKey).script, network)
  const maxFee = min(feeCap(atStake, vsize + CHILD_VSIZE, network) - paid, min(left, childFeeCap(network)))
  if (maxFee < useful) return null
  const fee = min(wanted, maxFee)
  const output = { amount: coin.amount - fee, script: p2wpkh(signer.publicKey).script }
  return { signed: await bitcoinSigning.sign('walletPayment', signer, [coin], [output]), fee }
}

/** The result is never above the paid fee, because the recorded rate is rounded down. */
function paidBy({ transaction, feeRate }: KnownAttempt): bigint {
  return feeOf(transaction.vsize, feeRate)
}

async function unminedParents(backend: BitcoinBackend, signed: readonly Signed[], child: Attempt): Promise<readonly KnownAttempt[]> {
  const parents = new Map<string, KnownAttempt>()
  const open: Attempt[] = [child]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const txids = new Set(one.slots.map((slot) => splitOutpoint(slot).txid))
    for (const attempt of signed.filter(({ tx }) => txids.has(tx) && !parents.has(tx))) {
      const parent = await firstUnconfirmed(backend, [attempt])
      if (parent === null) continue
      parents.set(parent.tx, parent)
      open.push(parent)
    }
  }
  return [...parents.values()]
}

async function firstUnconfirmed(backend: BitcoinBackend, candidates: readonly Signed[]): Promise<(KnownAttempt & Signed) | null> {
  for (const candidate of candidates) {
    const transaction = parseTransaction(candidate.raw)
    if ((await backend.placeOf(transaction)) === 'mempool') return { ...candidate, transaction }
  }
  return null
}

function coinFor({ tx, transaction }: KnownAttempt, ownScript: string): SpendableCoin | null {
  const vout = transaction.outputs.findIndex(({ script }) => bytesToHex(script) === ownScript)
  const output = transaction.outputs[vout]
  return output === undefined ? null : { outpoint: `${tx}:${vout}`, amount: output.amount }
}

export function paysOnly({ outputs }: ParsedTransaction, ownScript: string): boolean {
  return outputs.every(({ script }) => bytesToHex(script) === ownScript)
}

function walletScript({ key }: Pick<Outbox, 'key'>): string {
  return bytesToHex(p2wpkh(key.publicKey).script)
}
