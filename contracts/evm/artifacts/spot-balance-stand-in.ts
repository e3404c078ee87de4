// Generated from hypercore/simulator/CoreStandIns.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const spotBalanceStandIn = {
  contractName: 'SpotBalanceStandIn',
  abi: [
    {
      "stateMutability": "nonpayable",
      "type": "fallback"
    }
  ],
  bytecode: '0x6080806040523460145760f790816100198239f35b5f80fdfe6080806040523460b35767ffffffffffffffff3611608657604760207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f360116018260b7565b3681526020810190365f83375f6020368301015251902054604051602081019182525f60408201525f606082015260608152608260808260b7565b5190f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b5f80fd5b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff82111760865760405256',
} as const
