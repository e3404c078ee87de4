// Generated from test/StubbornToken.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const stubbornToken = {
  contractName: 'StubbornToken',
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
      "outputs": [],
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
      "outputs": [],
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
      "outputs": [],
      "stateMutability": "nonpayable",
      "type": "function"
    }
  ],
  bytecode: '0x60808060405234601557610402908161001a8239f35b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c8063095ea7b3146102c757806323b872dd1461023357806340c10f19146101cf57806370a082311461016d578063a9059cbb146100eb5763dd62ed3e1461005b575f80fd5b346100e75760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100e757610092610375565b73ffffffffffffffffffffffffffffffffffffffff6100af610398565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346100e75760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100e757610122610375565b73ffffffffffffffffffffffffffffffffffffffff60243591335f525f60205260405f206101518482546103bb565b9055165f525f60205261016960405f209182546103f5565b9055005b346100e75760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100e75773ffffffffffffffffffffffffffffffffffffffff6101b9610375565b165f525f602052602060405f2054604051908152f35b346100e75760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100e75773ffffffffffffffffffffffffffffffffffffffff61021b610375565b165f525f60205260405f2061016960243582546103f5565b346100e75760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100e75761026a610375565b73ffffffffffffffffffffffffffffffffffffffff610287610398565b816044359316805f52600160205260405f208333165f5260205260405f206102b08582546103bb565b90555f525f60205260405f206101518482546103bb565b346100e75760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100e7576102fe610375565b6024359081158015610341575b156100e757335f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f5260205260405f20555f80f35b50335f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff82165f5260205260405f20541561030b565b6004359073ffffffffffffffffffffffffffffffffffffffff821682036100e757565b6024359073ffffffffffffffffffffffffffffffffffffffff821682036100e757565b919082039182116103c857565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b919082018092116103c85756',
} as const
