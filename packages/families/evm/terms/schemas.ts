/** Lists the ABIs of the HTLCs and tokens on EVM chains. */
import { erc20Abi } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../contract/artifacts/htlc-native.ts'

export const schemas = { 'evm:htlc': htlcNative.abi, 'evm:htlc_erc20': htlcErc20.abi, 'evm:erc20': erc20Abi }
