// Generated from test/TestAccounts.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const contractAccount = {
  contractName: 'ContractAccount',
  abi: [
    {
      "inputs": [
        {
          "internalType": "bytes32",
          "name": "digest",
          "type": "bytes32"
        },
        {
          "internalType": "bytes",
          "name": "signature",
          "type": "bytes"
        }
      ],
      "name": "approveDigest",
      "outputs": [],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "target",
          "type": "address"
        },
        {
          "internalType": "bytes",
          "name": "data",
          "type": "bytes"
        }
      ],
      "name": "execute",
      "outputs": [],
      "stateMutability": "payable",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "bytes32",
          "name": "digest",
          "type": "bytes32"
        },
        {
          "internalType": "bytes",
          "name": "signature",
          "type": "bytes"
        }
      ],
      "name": "isValidSignature",
      "outputs": [
        {
          "internalType": "bytes4",
          "name": "",
          "type": "bytes4"
        }
      ],
      "stateMutability": "view",
      "type": "function"
    },
    {
      "stateMutability": "payable",
      "type": "receive"
    }
  ],
  bytecode: '0x60808060405234601557610384908161001a8239f35b5f80fdfe6080604052600436101561001a575b3615610018575f80fd5b005b5f3560e01c80631626ba7e146101845780631cff79cd146100755763b37f57100361000e57346100715761005a6100503661025c565b9291923691610359565b60208151910120905f525f60205260405f20555f80f35b5f80fd5b60407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126100715760043573ffffffffffffffffffffffffffffffffffffffff811681036100715760243567ffffffffffffffff8111610071575f916100e28392369060040161022e565b908160405192839283378101848152039134905af13d1561017f573d61010f61010a8261031f565b6102ae565b9081525f60203d92013e5b1561012157005b60646040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152600b60248201527f63616c6c206661696c65640000000000000000000000000000000000000000006044820152fd5b61011a565b34610071576101aa6101953661025c565b92915f525f60205260405f2054923691610359565b60208151910120145f146102065760207f1626ba7e000000000000000000000000000000000000000000000000000000005b7fffffffff0000000000000000000000000000000000000000000000000000000060405191168152f35b60207fffffffff000000000000000000000000000000000000000000000000000000006101dc565b9181601f840112156100715782359167ffffffffffffffff8311610071576020838186019501011161007157565b9060407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc83011261007157600435916024359067ffffffffffffffff8211610071576102aa9160040161022e565b9091565b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f604051930116820182811067ffffffffffffffff8211176102f257604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b67ffffffffffffffff81116102f257601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b92919261036861010a8361031f565b938285528282011161007157815f92602092838701378401015256',
} as const
