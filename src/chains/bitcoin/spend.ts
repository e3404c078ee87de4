/** Redeems and refunds: one transaction that spends deposits of an HTLC by one of its leaves and pays its own fee. */
import { hexToBytes } from '@noble/hashes/utils.js'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { type Hex32, isSecretFor } from '../../protocol/secret.ts'
import { ChainFailure, type Outbox, type Signer, type SpendRequest } from '../family.ts'
import { scriptOfAddress, walletAddress } from './address.ts'
import {
  type Action,
  type BuildRequest,
  type Draft,
  type Execution,
  execute,
  higherBid,
  type KnownAttempt,
  knownAttempts,
  type Standing,
  whoSpent,
} from './execute.ts'
import { affordableFee, dustLimit, type FeeRate, feeOf, largestFee, type Replaced, uneconomic } from './fees.ts'
import { htlcOf, type Leaf } from './htlc.ts'
import { identityOf } from './identity.ts'
import type { BitcoinNetwork } from './networks.ts'
import { type SignedTransaction, signLeafSpend } from './sign.ts'
import { estimateVsize } from './weight.ts'

const SIGNATURE_BYTES = 64

/** A transaction above 100 kvB is relayed by nobody; a hundred deposits are far below that, and soon mined. */
export const MAX_REFUNDED_AT_ONCE = 100

type Deposits = SpendRequest['deposits']

/** One way out of an HTLC. */
type Way = {
  readonly verb: 'redeem' | 'refund'
  readonly leaf: Leaf
  readonly items: readonly Uint8Array[]
  readonly timelock: bigint | null
}

export async function redeemHtlc(
  execution: Execution,
  network: BitcoinNetwork,
  terms: HtlcTerms,
  spend: SpendRequest & { readonly secret: Hex32 },
): Promise<string> {
  requireParty(execution.outbox.signer, terms.redeemer, 'redeemer')
  if (!isSecretFor(spend.secret, terms.secretHash))
    throw new ChainFailure('would-fail', 'the secret does not hash to the secret hash of the terms')
  const way = redeemWay(htlcOf(terms, network).redeem, hexToBytes(spend.secret))
  return execute(execution, createSpend(execution, network, terms, spend, way))
}

export async function refundHtlc(execution: Execution, network: BitcoinNetwork, terms: HtlcTerms, spend: SpendRequest): Promise<string> {
  requireParty(execution.outbox.signer, terms.initiator, 'initiator')
  const way: Way = { verb: 'refund', leaf: htlcOf(terms, network).refund, items: [], timelock: terms.timelock }
  return execute(execution, createSpend(execution, network, terms, spend, way))
}

/** The virtual size of a redeem of `deposits` deposits to this script; the same for all terms. */
export function redeemVsize(leaf: Leaf, deposits: number, outputScript: Uint8Array): bigint {
  return spendVsize(redeemWay(leaf, new Uint8Array(32)), deposits, outputScript)
}

/** Throws unless the amount bears the fee and leaves something worth having. */
export function assertWorthPaying(amount: bigint, vsize: bigint, rate: FeeRate, outputScript: Uint8Array): void {
  const fee = feeOf(vsize, rate)
  if (fee > largestFee(amount, vsize) || amount - fee < dustLimit(outputScript)) throw uneconomic('a payout', amount, fee)
}

function redeemWay(leaf: Leaf, secret: Uint8Array): Way {
  return { verb: 'redeem', leaf, items: [secret], timelock: null }
}

function spendVsize(way: Way, deposits: number, outputScript: Uint8Array): bigint {
  const witness = [SIGNATURE_BYTES, ...way.items.map((item) => item.length), way.leaf.script.length, way.leaf.controlBlock.length]
  return estimateVsize(
    Array.from({ length: deposits }, () => witness),
    [outputScript],
  )
}

function createSpend(execution: Execution, network: BitcoinNetwork, terms: HtlcTerms, spend: SpendRequest, way: Way): Action {
  const { backend, outbox } = execution
  const { deposits } = spend
  if (deposits.length === 0) throw new ChainFailure('would-fail', `there is no deposit to ${way.verb}`)
  const ids = new Set(deposits.map((deposit) => deposit.id))
  // An earlier attempt for other deposits of the same HTLC (which expired before these, or were worth more) is another matter.
  const attempts = knownAttempts(outbox).filter((attempt) => attempt.slots.some((slot) => ids.has(slot)))
  const outputScript = scriptOfAddress(spend.to ?? walletAddress(outbox.signer.publicKey, network), network)

  async function build({ feeRate, replaced, live }: BuildRequest): Promise<Draft> {
    const taken = choose(feeRate, live)
    const total = taken.reduce((sum, deposit) => sum + deposit.amount, 0n)
    const fee = affordableFee(spendVsize(way, taken.length, outputScript), feeRate, replaced, total, outputScript)
    const signed = sign(outbox, taken, total - fee)
    return { signed, fee }
  }

  /** A redeem takes all that it is owed. Anyone can send crumbs to be refunded: what is left now can be had when fees are lower. */
  function choose(feeRate: FeeRate, live: KnownAttempt | null): Deposits {
    if (way.verb === 'redeem') return deposits
    const pool = live === null ? deposits : deposits.filter((deposit) => live.slots.includes(deposit.id))
    const inputFee = feeOf(spendVsize(way, 2, outputScript) - spendVsize(way, 1, outputScript), feeRate)
    const worthy = pool
      .filter((deposit) => deposit.amount > inputFee)
      .sort((a, b) => (a.amount > b.amount ? -1 : a.amount < b.amount ? 1 : 0))
    if (worthy.length === 0)
      throw new ChainFailure('would-fail', `uneconomic: no deposit is worth the ${inputFee} sat that spending it costs`)
    return worthy.slice(0, MAX_REFUNDED_AT_ONCE)
  }

  function sign({ signer }: Outbox, taken: Deposits, amount: bigint): SignedTransaction {
    const coins = taken.map((deposit) => ({ outpoint: deposit.id, amount: deposit.amount }))
    const { script } = htlcOf(terms, network)
    return signLeafSpend(signer, coins, script, way.leaf, {
      items: way.items,
      timelock: way.timelock,
      output: { amount, script: outputScript },
    })
  }

  /** A redeem outbids a refund that is not mined yet, for the money is ours until then; a refund never competes with a redeem. */
  async function inspect(feeRate: FeeRate): Promise<Standing> {
    let rival: Replaced | null = null
    for (const { id } of choose(feeRate, null)) {
      const output = await backend.output(id)
      if (output.state === 'unspent') {
        // BIP68: N blocks after the one of the deposit, which itself is the first confirmation.
        if (way.timelock !== null && output.confirmations < way.timelock) {
          throw new ChainFailure(
            'would-fail',
            `the timelock of ${id} is ${way.timelock} blocks, and only ${output.confirmations} have passed`,
          )
        }
        continue
      }
      const spender = await whoSpent(execution, id, attempts)
      if (spender === null) throw new ChainFailure('superseded', `the deposit ${id} is not on the chain now, or was spent long ago`)
      if (spender.isOurs) return { kind: 'done', tx: spender.txid }
      const bid = way.verb === 'redeem' && spender.confirmations === 0n ? await backend.unconfirmedFee(spender.txid) : null
      if (bid === null) throw new ChainFailure('superseded', `the deposit ${id} was spent by ${spender.txid}`)
      rival = higherBid(rival, bid)
    }
    return rival === null ? { kind: 'clear' } : { kind: 'rival', replaced: rival }
  }

  return {
    attempts,
    build,
    inspect,
    // Deposits are other people's transactions: there is nothing of ours to send again.
    restoreInputs: async () => false,
    mayReplace: (_live: KnownAttempt) => true,
  }
}

export function requireParty(signer: Signer, identity: string, role: string): void {
  if (identityOf(signer) !== identity) throw new ChainFailure('would-fail', `the key is not that of the ${role} of these terms`)
}
