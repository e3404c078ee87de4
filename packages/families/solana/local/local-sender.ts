// Sends transactions of this process: the faucet, the airdrops, the deployment.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Instruction } from '@solana/kit'
import { setUnitLimit } from './compute-budget.ts'
import { type LocalSigner, signTransaction } from './local-signer.ts'
import { SLOT_MS } from './slot-pace.ts'
import type { SolanaNode } from './solana-node.ts'
import { errorText } from './transaction-error.ts'
import type { WireTransaction } from './wire-transaction.ts'

export interface LocalSender {
  readonly address: Address
  send(instructions: readonly Instruction[], others?: readonly LocalSigner[]): string
  /** Makes blocks until the transaction is confirmed, without waiting for slots. Rejects if the transaction failed. */
  confirm(signature: string): Promise<void>
}

const UNIT_LIMIT = 300_000

export function createLocalSender(node: SolanaNode, signer: LocalSigner): LocalSender {
  const { ledger } = node
  let sent = 0

  function sign(instructions: readonly Instruction[], others: readonly LocalSigner[]): WireTransaction {
    sent += 1
    const block = ledger.tip('processed')
    const lifetime = { blockhash: block.blockhash, lastValidBlockHeight: node.lastValidHeight(block) }
    // A different unit limit makes every transaction differ, so that none is a duplicate.
    return signTransaction([setUnitLimit(UNIT_LIMIT + sent), ...instructions], [signer, ...others], lifetime)
  }

  return {
    address: signer.address,
    send(instructions, others = []) {
      node.catchUp()
      const wire = sign(instructions, others)
      node.broadcast(wire)
      return wire.signature
    },
    async confirm(signature) {
      for (;;) {
        const mined = ledger.transaction(signature)
        if (mined === null && !node.isPooled(signature)) throw new Error(`transaction ${signature} was dropped`)
        if (mined !== null && mined.error !== null) throw new Error(`transaction ${signature} failed: ${errorText(mined.error)}`)
        if (mined !== null && mined.slot <= ledger.tip('confirmed').slot) return
        if (!node.mineEarly()) await sleep(SLOT_MS)
      }
    },
  }
}
