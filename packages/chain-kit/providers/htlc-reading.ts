/** Makes readings of HTLCs. The file is not in `port/`, so that nothing outside of the families can import it. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { SwapId } from '@tandem/protocol/htlc.ts'
import type { DepositReading, HtlcReading } from '../port/htlc-reading.ts'

export async function readingOf(
  chain: ChainId,
  swapId: SwapId,
  ask: () => Promise<DepositReading | readonly DepositReading[]>,
): Promise<HtlcReading> {
  const asOfMs = performance.now()
  const deposits = [await ask()].flat()
  // The brand exists in types only.
  return { chain, swapId, deposits, asOfMs } as unknown as HtlcReading
}
