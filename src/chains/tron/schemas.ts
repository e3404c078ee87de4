/** ABIs of the HTLC and the tokens on Tron. */
import { erc20Abi } from 'viem'
import { htlcTrc20 } from '../../../contracts/evm/artifacts/htlc-trc20.ts'

export const schemas = { 'tron:htlc_erc20': htlcTrc20.abi, 'tron:erc20': erc20Abi }
