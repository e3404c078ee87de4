/** Gives the ABIs of the HTLC and of tokens. One contract serves both schemas: the chain's own coin is an ERC-20 too. */
import erc20Abi from '../contract/artifacts/erc20.abi.json' with { type: 'json' }
import htlcAbi from '../contract/artifacts/htlc.abi.json' with { type: 'json' }

export const schemas = { 'starknet:htlc': htlcAbi, 'starknet:htlc_erc20': htlcAbi, 'starknet:erc20': erc20Abi }
