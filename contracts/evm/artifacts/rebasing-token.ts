// Generated from test/HostileTokens.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const rebasingToken = {
  contractName: 'RebasingToken',
  abi: [
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "owner",
          "type": "address"
        },
        {
          "internalType": "address",
          "name": "spender",
          "type": "address"
        }
      ],
      "name": "allowance",
      "outputs": [
        {
          "internalType": "uint256",
          "name": "",
          "type": "uint256"
        }
      ],
      "stateMutability": "view",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "spender",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
        }
      ],
      "name": "approve",
      "outputs": [
        {
          "internalType": "bool",
          "name": "",
          "type": "bool"
        }
      ],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "account",
          "type": "address"
        }
      ],
      "name": "balanceOf",
      "outputs": [
        {
          "internalType": "uint256",
          "name": "",
          "type": "uint256"
        }
      ],
      "stateMutability": "view",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "to",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
        }
      ],
      "name": "mint",
      "outputs": [],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "uint256",
          "name": "percent",
          "type": "uint256"
        }
      ],
      "name": "rebase",
      "outputs": [],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "to",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
        }
      ],
      "name": "transfer",
      "outputs": [
        {
          "internalType": "bool",
          "name": "",
          "type": "bool"
        }
      ],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "from",
          "type": "address"
        },
        {
          "internalType": "address",
          "name": "to",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
        }
      ],
      "name": "transferFrom",
      "outputs": [
        {
          "internalType": "bool",
          "name": "",
          "type": "bool"
        }
      ],
      "stateMutability": "nonpayable",
      "type": "function"
    }
  ],
  bytecode: '0x60808060405234601a576064600255610501908161001f8239f35b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c8063095ea7b3146103f757806323b872dd1461031557806340c10f191461028b57806370a0823114610211578063a9059cbb1461012d578063bc4f2d6d146100f65763dd62ed3e14610066575f80fd5b346100f25760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f25761009d61046a565b73ffffffffffffffffffffffffffffffffffffffff6100ba61048d565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346100f25760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f257600435600255005b346100f25760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f25761016461046a565b6024356064810290808204606414901517156101e4576101c073ffffffffffffffffffffffffffffffffffffffff9161019f600254826104bd565b335f525f6020526101b560405f209182546104b0565b9055600254906104bd565b91165f525f6020526101d760405f209182546104f4565b9055602060405160018152f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b346100f25760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f25773ffffffffffffffffffffffffffffffffffffffff61025d61046a565b165f525f60205260405f2054600254908181029181830414901517156101e457602090606460405191048152f35b346100f25760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f2576102c261046a565b6024356064810290808204606414901517156101e4576102fa73ffffffffffffffffffffffffffffffffffffffff91600254906104bd565b91165f525f60205261031160405f209182546104f4565b9055005b346100f25760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f25761034c61046a565b61035461048d565b9073ffffffffffffffffffffffffffffffffffffffff6044359116805f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f206103a68382546104b0565b90556064820291808304606414901517156101e45773ffffffffffffffffffffffffffffffffffffffff916101c0916103e1600254836104bd565b905f525f6020526101b560405f209182546104b0565b346100f25760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100f25761042e61046a565b335f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f5260205260405f206024359055602060405160018152f35b6004359073ffffffffffffffffffffffffffffffffffffffff821682036100f257565b6024359073ffffffffffffffffffffffffffffffffffffffff821682036100f257565b919082039182116101e457565b81156104c7570490565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601260045260245ffd5b919082018092116101e45756',
} as const
