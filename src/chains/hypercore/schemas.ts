/** ABIs of the HTLC for HyperCore's tokens, and of these tokens. */
import { erc20Abi } from 'viem'
import { htlcCore } from '../../../contracts/evm/artifacts/htlc-core.ts'

export const schemas = { 'hypercore:htlc_erc20': htlcCore.abi, 'hypercore:erc20': erc20Abi }
