/**
 * Sends lamports or tokens to an address. No program refuses a repetition, so another transaction is signed only after all before have expired at a
 * finalized block without being mined: see `send/lane.ts`.
 */
import type { Address, Blockhash, Instruction, Signature } from '@solana/kit'
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Transfer, TransferRequest } from '@tandem/chain-kit/port/abilities/transfer.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { SIMULATION_UNITS, unitsFrom } from '../terms/fees/fees.ts'
import { type Contracts, mintOf } from '../terms/htlc.ts'
import { tokenAccountOf } from '../terms/instructions.ts'
import { buildTransaction, wireOf } from '../terms/send/transaction.ts'
import { assertLamports, transferCost } from './fees/funds.ts'
import type { SolanaNode } from './nodes/node.ts'
import { openLane } from './send/lane.ts'
import { asChainFailure } from './send/transaction-failure.ts'
import { transferInstructions } from './send/transfer-instructions.ts'

const anyBlockhash = '11111111111111111111111111111111' as Blockhash

export function createTransfer(chain: Chain, node: SolanaNode, contracts: Contracts): Transfer {
  async function instructionsOf({ asset, recipient, amount }: TransferRequest, sender: Address): Promise<readonly Instruction[]> {
    const [mint, destination] = [mintOf(chain, contracts, asset), parseAddress(recipient)]
    const [known = null] = mint === null ? [] : await node.accounts([tokenAccountOf(destination, mint)])
    return transferInstructions(mint, { sender, recipient: destination, amount, createsAccount: known === null })
  }

  async function unitsOf(instructions: readonly Instruction[], sender: Address): Promise<number> {
    const frame = { feePayer: sender, blockhash: anyBlockhash, unitLimit: SIMULATION_UNITS, unitPrice: 0n }
    const { error, logs, unitsConsumed } = await node.simulate(wireOf(buildTransaction(instructions, frame)), { replaceBlockhash: true })
    if (error === null) return unitsFrom(unitsConsumed)
    await assertLamports(node, 'transfer', sender, instructions)
    throw asChainFailure(error, 'transfer', logs)
  }

  return {
    async send(transfer, outbox) {
      const sender = accountOf(outbox.key)
      const lane = await openLane(node, outbox)
      const sending = sendOn(lane)
      for (const signed of lane.pending) {
        const tx = await sending.keep(signed, async () => ({ verb: 'transfer', unitLimit: signed.budget.unitLimit }))
        if (tx !== null) return tx
      }
      const outcomes = await Promise.all(outbox.attempts.map(({ tx }) => node.outcome(tx as Signature)))
      if (lane.pending.length > 0 || outcomes.some((outcome) => outcome !== null))
        throw new ChainFailure('superseded', 'the recorded transfer is mined')
      const instructions = await instructionsOf(transfer, sender)
      return sending.append({ instructions }, { verb: 'transfer', unitLimit: await unitsOf(instructions, sender) })
    },

    async outcome(_, __, attempts) {
      for (const { tx } of attempts) {
        const outcome = await node.outcome(tx as Signature)
        if (outcome === null) continue
        if (outcome.error === null) return { kind: 'paid', tx, height: outcome.slot }
        return { kind: 'failed', why: `${tx} was mined and failed`, height: outcome.slot }
      }
      return { kind: 'pending' }
    },
    fee: ({ asset }) => transferCost(node, mintOf(chain, contracts, asset) !== null),
  }
}
