/** Lists the ABIs of the HTLC for HyperCore's tokens, and of these tokens. */

import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { erc20Abi } from 'viem'

export const schemas = { 'hypercore:htlc_erc20': htlcCore.abi, 'hypercore:erc20': erc20Abi }
