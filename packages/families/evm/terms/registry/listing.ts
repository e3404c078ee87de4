/** How the rows of EVM chains write an asset down. */
import { coinsOf, tokensOf } from '@tandem/protocol/registry/listing.ts'

export const coin = coinsOf('evm:htlc')
export const token = tokensOf('evm:htlc_erc20', 'evm:erc20')
