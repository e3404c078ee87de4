/** Sends a single transaction of an operator's own key, outside of the engine: its attempts are kept in memory. */

import type { NonceRefusal } from '@tandem/chain-kit/contract/nonce-account.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Signer } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Felt } from '../../contract/client/felt.ts'
import { chainIdOf } from '../../terms/htlc.ts'
import { type Fees, highestFee, raiseFees, suggestFees } from '../fees/fees.ts'
import { unpriced, withMargin } from '../fees/gas.ts'
import type { GasAmounts, StarknetNode, WireTransaction } from '../nodes/node.ts'
import { asChainFailure } from '../refusal.ts'
import { broadcast } from '../send/broadcast.ts'
import type { Envelope } from '../send/transaction-hash.ts'
import type { SignedHash } from '../signing.ts'

/** The content has no signature and no envelope. */
export interface Content {
  readonly what: string
  readonly sender: Felt
  sign(signer: Signer, envelope: Envelope): Promise<SignedHash>
  wire(envelope: Envelope, signature: readonly Felt[]): WireTransaction
}

export interface OwnTransaction {
  /** This is the maximum cost now. Rejects with `would-fail` if the transaction would revert. */
  cost(): Promise<bigint>
  /** Sends the transaction, broadcasts it again or bumps its fee. Rejects with `would-fail` if it was mined and reverted. */
  send(): Promise<void>
  /** The hash is that of the attempt that succeeded, or else of the newest. It is null if none was sent. */
  tx(): Promise<string | null>
}

type Attempt = {
  readonly envelope: Envelope
  readonly tx: Felt
  readonly wire: WireTransaction
  readonly at: number
  refused: NonceRefusal | null
}

/** Nothing else may use the signer on this chain meanwhile. */
export function createOwnTransaction(chain: Chain, node: StarknetNode, signer: Signer, content: Content): OwnTransaction {
  const { sender, what } = content
  const chainId = chainIdOf(chain)
  const attempts: Attempt[] = []
  const nextNonce = () => node.nonce(sender)

  async function gasNow(nonce: bigint): Promise<GasAmounts> {
    try {
      const { gas } = await node.estimate(content.wire({ ...unpriced, chainId, sender, nonce }, []), { validates: false })
      return withMargin(gas)
    } catch (error) {
      throw asChainFailure(error, what)
    }
  }

  async function signAndBroadcast(nonce: bigint, fees: Fees): Promise<void> {
    const unsigned = { chainId, sender, nonce, gas: await gasNow(nonce), fees }
    const { envelope, hash: tx, signature } = await content.sign(signer, unsigned)
    const attempt: Attempt = { envelope, tx, wire: content.wire(envelope, signature), at: performance.now(), refused: null }
    attempts.push(attempt)
    await broadcastAgain(attempt)
  }

  async function broadcastAgain(attempt: Attempt): Promise<void> {
    const verdict = await broadcast(node, { wire: attempt.wire, nonce: attempt.envelope.nonce }, nextNonce)
    attempt.refused = verdict === 'accepted' ? null : verdict
    if (verdict === 'wrong-gas') throw new ChainFailure('would-fail', `${what}: the node refuses its gas limit`)
  }

  async function keep(last: Attempt): Promise<void> {
    const outcome = await node.outcome(last.tx)
    if (outcome?.kind === 'succeeded') return
    if (outcome?.kind === 'reverted')
      throw new ChainFailure('would-fail', `${what}: the transaction ${last.tx} reverted: ${outcome.reason}`)
    if (last.refused === null && outcome?.kind !== 'pending') await broadcastAgain(last)
    if (last.refused === 'nonce-used') return signAndBroadcast(await nextNonce(), await suggestFees(node, chain))
    const isOverdue = performance.now() - last.at >= Number(chain.feeBumpSeconds) * 1000
    if (!isOverdue && last.refused === null) return
    const fees = raiseFees(chain, last.envelope.fees, await suggestFees(node, chain), {
      urgent: last.refused !== null,
      isObligatory: false,
    })
    if (fees !== null) await signAndBroadcast(last.envelope.nonce, fees)
  }

  return {
    async cost() {
      const [fees, gas] = await Promise.all([suggestFees(node, chain), nextNonce().then(gasNow)])
      return highestFee(gas, fees)
    },
    async send() {
      const last = attempts.at(-1)
      if (last === undefined) await signAndBroadcast(await nextNonce(), await suggestFees(node, chain))
      else await keep(last)
    },
    async tx() {
      const outcomes = await Promise.all(attempts.map(({ tx }) => node.outcome(tx)))
      return (attempts.find((_, index) => outcomes[index]?.kind === 'succeeded') ?? attempts.at(-1))?.tx ?? null
    },
  }
}
