/** Closes the accounts of settled orders once no signed transaction could initiate them again. The program returns the rent to its payer. */
import type { Blockhash } from '@solana/kit'
import { sendOn } from '@tandem/chain-kit/contract/sending.ts'
import type { Rent } from '@tandem/chain-kit/port/abilities/spending.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { closeOrder } from '../contract/client/instructions.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { SIMULATION_UNITS, unitsFrom } from '../terms/fees/fees.ts'
import { type Contracts, swapIdOf } from '../terms/htlc.ts'
import { buildTransaction, wireOf } from '../terms/send/transaction.ts'
import { readOrder } from './contract-state.ts'
import type { SolanaNode } from './nodes/node.ts'
import { openLane } from './send/lane.ts'
import { asChainFailure } from './send/transaction-failure.ts'

/** The chain's clock may be behind ours. */
const TOO_EARLY_RETRY_MS = 60_000
const anyBlockhash = '11111111111111111111111111111111' as Blockhash

export function createRent(node: SolanaNode, contracts: Contracts): Rent {
  async function giveBack(terms: HtlcTerms, outbox: Outbox): Promise<string> {
    const contract = contracts.of(terms.asset)
    const order = await readOrder(node, contract, terms)
    if (order === null) throw new ChainFailure('superseded', 'close: the account is closed already')
    if (order.status === 'open') throw new ChainFailure('would-fail', 'close: the order is open')
    const lane = await openLane(node, outbox)
    const sending = sendOn(lane)
    for (const signed of lane.pending) {
      const live = await sending.keep(signed, () => Promise.reject(new Error('nothing is replaced on Solana')))
      if (live !== null) return live
    }
    const tip = await node.block('latest')
    if (tip === null || tip.time < order.initiateBefore)
      throw new ChainFailure('would-fail', `close: only from ${order.initiateBefore} on`, { retryAfterMs: TOO_EARLY_RETRY_MS })
    const close = closeOrder(contract.program, parseAddress(swapIdOf(contract, terms)), order.rentPayer)
    const frame = { feePayer: accountOf(outbox.key), blockhash: anyBlockhash, unitLimit: SIMULATION_UNITS, unitPrice: 0n }
    const { error, logs, unitsConsumed } = await node.simulate(wireOf(buildTransaction([close], frame)), { replaceBlockhash: true })
    if (error !== null) throw asChainFailure(error, 'close', logs)
    return sending.append({ instructions: [close] }, { verb: 'close', unitLimit: unitsFrom(unitsConsumed) })
  }

  return {
    keptUntil: async (terms) => (await readOrder(node, contracts.of(terms.asset), terms))?.initiateBefore ?? null,
    giveBack,
  }
}
