/** Lists the ABIs of the HTLC and the tokens on Tron. */

import { htlcTrc20 } from '@tandem/evm/contract/artifacts/htlc-trc20.ts'
import { erc20Abi } from 'viem'

export const schemas = { 'tron:htlc_erc20': htlcTrc20.abi, 'tron:erc20': erc20Abi }
