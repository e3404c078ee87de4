/** ABIs of the HTLC and of tokens. One contract serves both schemas: the chain's own coin is an ERC-20 too. */
import erc20Abi from '../../../contracts/starknet/artifacts/erc20.abi.json' with { type: 'json' }
import htlcAbi from '../../../contracts/starknet/artifacts/htlc.abi.json' with { type: 'json' }

export const schemas = { 'starknet:htlc': htlcAbi, 'starknet:htlc_erc20': htlcAbi, 'starknet:erc20': erc20Abi }
