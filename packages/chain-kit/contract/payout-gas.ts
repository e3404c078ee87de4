/** Redeems with gas for the recipient, out of the sender's own coin: see `PayoutGas`. */
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { ChainFailure } from '../port/failure.ts'

/** The sender has too little of the chain's coin. This call has signed nothing that a node has accepted. */
export class ShortOfCoin extends ChainFailure {
  constructor(message: string) {
    super('would-fail', message)
  }
}

export function assertGivesAnotherCoin({ nativeAsset }: Pick<Chain, 'nativeAsset'>, { asset }: Pick<HtlcTerms, 'asset'>): void {
  if (asset === nativeAsset) throw new ChainFailure('would-fail', `redeem: a payout of ${asset}, which pays the fees itself, gives no gas`)
}

/** The payout matters more than the gas: a sender that is short of coin pays it without. */
export async function redeemGiving(gas: bigint, redeem: (gas?: bigint) => Promise<string>): Promise<string> {
  try {
    return await redeem(gas)
  } catch (error) {
    if (!(error instanceof ShortOfCoin)) throw error
    return redeem()
  }
}
