/** Reads the HTLC of a contract, which is funded once: its only deposit has the id of the swap, and that id binds the contract and every term. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcTerms, SwapId } from '@tandem/protocol/htlc.ts'
import type { HtlcReading } from '../port/htlc-reading.ts'
import { readingOf } from '../providers/htlc-reading.ts'
import type { HtlcState } from './action.ts'

export function readContractHtlc(
  chain: ChainId,
  swapId: SwapId,
  { amount }: HtlcTerms,
  ask: () => Promise<HtlcState>,
): Promise<HtlcReading> {
  return readingOf(chain, swapId, async () => {
    const state = await ask()
    if (state === 'open') return { id: swapId, state, amount }
    return { id: swapId, state: state === 'settled' ? 'gone' : state }
  })
}
