/**
 * Sends the calls of one signer. Tron has no nonces: a transaction is valid until a time that it names itself, on any branch that has the block
 * it refers to. So nothing blocks anything, nothing can be replaced, and what may not happen twice the contract refuses the second time.
 */
import type { Block } from '../../protocol/chain.ts'
import { accountOf as evmAccountOf } from '../evm/address.ts'
import type { EvmNode } from '../evm/nodes/node.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { type FeeVerb, feeLimitSun, type Need, promiseSun, readPurse } from './fees.ts'
import type { WalletApi } from './nodes/wallet-api.ts'
import { expiresMsOf, readAttempt, type SignedCall, signCall, type TronCall } from './transaction.ts'

/** Twenty blocks: long enough to be seen by every producer of blocks, short enough to be done with. */
export const LIFE_MS = 60_000n
/** A block this deep is solid: no reorg makes transactions invalid that refer to it. */
const REFERENCE_DEPTH = 20n
/** Blocks come no sooner after one another: what ends before the next cannot be in it. */
const SLOT_MS = 3_000n

export interface Lane {
  /** What was signed for this action and may still get into a block, newest first. */
  readonly live: readonly SignedCall[]
  /** What was signed for this action and cannot get into a block any more unless it is in one. */
  readonly past: readonly SignedCall[]
  /** The same call, unmined and in time, whoever signed it for what. */
  underWay(call: TronCall): Promise<SignedCall | null>
  /** Makes sure that the node has it. False when it cannot get into a block any more. Rejects while that is not known. */
  keep(signed: SignedCall): Promise<boolean>
  /** Signs, records and broadcasts. `atLeastSun`: a fee limit that did not suffice before. */
  send(call: TronCall, verb: FeeVerb, need: Need, atLeastSun?: bigint): Promise<string>
}

export async function openLane(node: EvmNode, api: WalletApi, outbox: Outbox): Promise<Lane> {
  const tip = await newestBlock(node)
  const tipMs = tip.time * 1000n
  const inTime = outbox.attempts.filter((attempt) => expiresMsOf(attempt) > tipMs)
  const late = outbox.attempts.filter((attempt) => expiresMsOf(attempt) <= tipMs)

  return {
    live: (await Promise.all(inTime.map(readAttempt))).reverse(),
    past: (await Promise.all(late.map(readAttempt))).reverse(),

    async underWay(call) {
      const inTimeToo = outbox.others.filter((attempt) => expiresMsOf(attempt) > tipMs)
      const signed = await Promise.all([...inTimeToo, ...inTime].map(readAttempt))
      for (const same of signed.filter((known) => isSameCall(known.call, call)).reverse())
        if ((await node.outcome(`0x${same.tx}`)) === null) return same
      return null
    },

    async keep(signed) {
      if ((await node.outcome(`0x${signed.tx}`)) !== null) return true
      const verdict = await api.broadcast(signed)
      // Others may have it: a second one for the same would cost twice, and its end is near.
      if (verdict === 'shunned')
        throw new ChainFailure(
          'unreachable',
          `the node neither has ${signed.tx} nor takes it again; another is signed when its time is over`,
        )
      return verdict === 'accepted'
    },

    async send(call, verb, need, atLeastSun = 0n) {
      const energyPriceSun = await api.energyPrice()
      const purse = await readPurse(node, api, evmAccountOf(outbox.signer), await promisedSun())
      const life = lifeMs(outbox, verb)
      await assertNotSigned(call, tipMs + life)
      const frame = {
        reference: await referenceBlock(node, tip),
        nowMs: tipMs,
        lifeMs: life,
        feeLimitSun: feeLimitSun(verb, need, energyPriceSun, purse, atLeastSun),
        energyPriceSun,
      }
      const attempt = await signCall(outbox.signer, call, frame)
      await outbox.record(attempt)
      const verdict = await api.broadcast({ tx: attempt.tx, raw: attempt.raw as `0x${string}` })
      if (verdict === 'accepted') return attempt.tx
      throw new ChainFailure(
        'unreachable',
        `${verb}: the node says that a transaction signed just now is ${verdict}: it is behind the others`,
      )
    },
  }

  /** All that the signer may still have to pay for, whatever it was signed for. */
  async function promisedSun(): Promise<bigint> {
    const living = [...outbox.others, ...outbox.attempts].filter((attempt) => expiresMsOf(attempt) > tipMs)
    const promises = living.map(async (attempt) =>
      (await node.outcome(`0x${attempt.tx}`)) === null ? promiseSun(await readAttempt(attempt)) : 0n,
    )
    return (await Promise.all(promises)).reduce((sum, sun) => sum + sun, 0n)
  }

  /** The same call with the same end is the same transaction, or one that differs in its fee limit only: neither is of use beside the other. */
  async function assertNotSigned(call: TronCall, expiresMs: bigint): Promise<void> {
    for (const attempt of inTime.filter((known) => expiresMsOf(known) === expiresMs)) {
      const { tx, call: signed } = await readAttempt(attempt)
      if (isSameCall(signed, call) && (await node.outcome(`0x${tx}`)) === null)
        throw new ChainFailure('unreachable', 'it is signed after this block already: another can be signed after the next')
    }
  }
}

/** An initiation that comes too late is worse than none: it ends in time by itself. */
function lifeMs({ secondsLeft }: Outbox, verb: FeeVerb): bigint {
  if (verb !== 'initiate' || secondsLeft === null || secondsLeft * 1000n >= LIFE_MS) return LIFE_MS
  if (secondsLeft * 1000n <= SLOT_MS) throw new ChainFailure('would-fail', 'initiate: it would come too late')
  return secondsLeft * 1000n
}

export async function referenceBlock(node: EvmNode, tip: Block): Promise<Block> {
  const block = await node.block(tip.height > REFERENCE_DEPTH ? tip.height - REFERENCE_DEPTH : 0n)
  if (block === null) throw new ChainFailure('unreachable', 'the node has lost a block below its newest')
  return block
}

export async function newestBlock(node: EvmNode): Promise<Block> {
  const block = await node.block('latest')
  if (block === null) throw new ChainFailure('unreachable', 'the node has no block')
  return block
}

function isSameCall(a: TronCall, b: TronCall): boolean {
  return a.to === b.to && a.data === b.data
}
