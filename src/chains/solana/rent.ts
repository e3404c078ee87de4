/** Closes the accounts of settled orders, once no signed transaction could initiate them again. The program returns the rent to whoever paid it. */
import type { Blockhash } from '@solana/kit'
import { closeOrder } from '../../../contracts/solana/client/instructions.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { sendOn } from '../contract/sending.ts'
import type { Rent } from '../port/abilities/rent.ts'
import { ChainFailure } from '../port/failure.ts'
import type { Outbox } from '../port/outbox.ts'
import { accountOf, parseAddress } from './address.ts'
import { readOrder } from './contract-state.ts'
import { SIMULATION_UNITS, unitsFrom } from './fees/fees.ts'
import { type Contracts, swapIdOf } from './htlc.ts'
import type { SolanaNode } from './nodes/node.ts'
import { openLane } from './send/lane.ts'
import { buildTransaction, wireOf } from './send/transaction.ts'
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
