// Generated from test/TetherTron.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const tetherTron = {
  contractName: 'TetherTron',
  abi: [
    {
      "inputs": [
        {
          "internalType": "string",
          "name": "name_",
          "type": "string"
        },
        {
          "internalType": "string",
          "name": "symbol_",
          "type": "string"
        },
        {
          "internalType": "uint8",
          "name": "decimals_",
          "type": "uint8"
        }
      ],
      "stateMutability": "nonpayable",
      "type": "constructor"
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
          "name": "allowance",
          "type": "uint256"
        },
        {
          "internalType": "uint256",
          "name": "needed",
          "type": "uint256"
        }
      ],
      "name": "ERC20InsufficientAllowance",
      "type": "error"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "sender",
          "type": "address"
        },
        {
          "internalType": "uint256",
          "name": "balance",
          "type": "uint256"
        },
        {
          "internalType": "uint256",
          "name": "needed",
          "type": "uint256"
        }
      ],
      "name": "ERC20InsufficientBalance",
      "type": "error"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "approver",
          "type": "address"
        }
      ],
      "name": "ERC20InvalidApprover",
      "type": "error"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "receiver",
          "type": "address"
        }
      ],
      "name": "ERC20InvalidReceiver",
      "type": "error"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "sender",
          "type": "address"
        }
      ],
      "name": "ERC20InvalidSender",
      "type": "error"
    },
    {
      "inputs": [
        {
          "internalType": "address",
          "name": "spender",
          "type": "address"
        }
      ],
      "name": "ERC20InvalidSpender",
      "type": "error"
    },
    {
      "anonymous": false,
      "inputs": [
        {
          "indexed": true,
          "internalType": "address",
          "name": "owner",
          "type": "address"
        },
        {
          "indexed": true,
          "internalType": "address",
          "name": "spender",
          "type": "address"
        },
        {
          "indexed": false,
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
        }
      ],
      "name": "Approval",
      "type": "event"
    },
    {
      "anonymous": false,
      "inputs": [
        {
          "indexed": true,
          "internalType": "address",
          "name": "from",
          "type": "address"
        },
        {
          "indexed": true,
          "internalType": "address",
          "name": "to",
          "type": "address"
        },
        {
          "indexed": false,
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
        }
      ],
      "name": "Transfer",
      "type": "event"
    },
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
      "inputs": [],
      "name": "decimals",
      "outputs": [
        {
          "internalType": "uint8",
          "name": "",
          "type": "uint8"
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
      "inputs": [],
      "name": "name",
      "outputs": [
        {
          "internalType": "string",
          "name": "",
          "type": "string"
        }
      ],
      "stateMutability": "view",
      "type": "function"
    },
    {
      "inputs": [
        {
          "internalType": "uint256",
          "name": "mode",
          "type": "uint256"
        }
      ],
      "name": "setMode",
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
        },
        {
          "internalType": "bool",
          "name": "refused",
          "type": "bool"
        }
      ],
      "name": "setRefused",
      "outputs": [],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [],
      "name": "symbol",
      "outputs": [
        {
          "internalType": "string",
          "name": "",
          "type": "string"
        }
      ],
      "stateMutability": "view",
      "type": "function"
    },
    {
      "inputs": [],
      "name": "totalSupply",
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
  bytecode: '0x60a060405234610346576111d4803803806100198161034a565b9283398101906060818303126103465780516001600160401b038111610346578261004591830161036f565b60208201519092906001600160401b0381116103465760409161006991840161036f565b91015160ff811681036103465782516001600160401b03811161024c57600354600181811c9116801561033c575b602082101461022e57601f81116102ce575b506020601f821160011461026b57819293945f92610260575b50508160011b915f199060031b1c1916176003555b81516001600160401b03811161024c57600454600181811c91168015610242575b602082101461022e57601f81116101c0575b50602092601f821160011461015f57928192935f92610154575b50508160011b915f199060031b1c1916176004555b608052604051610e1390816103c18239608051816105d60152f35b015190505f80610124565b601f1982169360045f52805f20915f5b8681106101a85750836001959610610190575b505050811b01600455610139565b01515f1960f88460031b161c191690555f8080610182565b9192602060018192868501518155019401920161016f565b8181111561010a5760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b60208410610226575b81601f9101920160051c03905f5b82811061021957505061010a565b5f8282015560010161020b565b5f91506101fd565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100f8565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100c2565b601f1982169060035f52805f20915f5b8181106102b65750958360019596971061029e575b505050811b016003556100d7565b01515f1960f88460031b161c191690555f8080610290565b9192602060018192868b01518155019401920161027b565b818111156100a95760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b60208410610334575b81601f9101920160051c03905f5b8281106103275750506100a9565b5f82820155600101610319565b5f915061030b565b90607f1690610097565b5f80fd5b6040519190601f01601f191682016001600160401b0381118382101761024c57604052565b81601f82011215610346578051906001600160401b03821161024c5761039e601f8301601f191660200161034a565b928284526020838301011161034657815f9260208093018386015e830101529056fe60806040526004361015610011575f80fd5b5f3560e01c806306fdde0314610753578063095ea7b31461068257806318160ddd1461064757806323b872dd146105fa578063313ce5671461059f57806340c10f19146104a057806370a082311461043e57806395d89b411461024957806396c1e522146101b3578063a9059cbb14610164578063d72dd3b41461012d5763dd62ed3e1461009d575f80fd5b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576100d46108d1565b73ffffffffffffffffffffffffffffffffffffffff6100f16108f4565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346101295760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957600435600555005b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101295760206101a96101a06108d1565b60243590610ad6565b6040519015158152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576101ea6108d1565b602435908115158092036101295773ffffffffffffffffffffffffffffffffffffffff165f52600660205260405f209060ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0083541691161790555f80f35b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576040515f600454908160011c60018316928315610434575b6020821084146104075781855284939081156103a7575060011461032d575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761030057604082905281906102fc9082610889565b0390f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b60045f90815291507f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b5b81831061038b57505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102ae565b6020919350806001915483858801015201910190918392610357565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208581019190915291151560051b840190910191507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe090506102ae565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b90607f169061028f565b346101295760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101295773ffffffffffffffffffffffffffffffffffffffff61048a6108d1565b165f525f602052602060405f2054604051908152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576104d76108d1565b73ffffffffffffffffffffffffffffffffffffffff16602435811561057357600254908082018092116105465760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b507fec442f05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957602060405160ff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346101295760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101295760206101a96106366108d1565b61063e6108f4565b60443591610917565b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576020600254604051908152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576106b96108d1565b73ffffffffffffffffffffffffffffffffffffffff16602435811561072757335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b507f94280d62000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576040515f600354908160011c6001831692831561087f575b6020821084146104075781855284939081156103a75750600114610805575003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761030057604082905281906102fc9082610889565b60035f90815291507fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b5b81831061086357505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06102ae565b602091935080600191548385880101520191019091839261082f565b90607f1690610799565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361012957565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361012957565b906005546001811480918115610acb575b50610ac4575073ffffffffffffffffffffffffffffffffffffffff8216805f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f2054907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff82106109ef575b50506005546003036109e5577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8301928311610546576109db9291610cf1565b6004600554141590565b6109db9291610cf1565b848210610a90578015610a65573315610a39575f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f20910390555f8061099b565b7f94280d62000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b84827ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b9250505090565b60029150145f610928565b73ffffffffffffffffffffffffffffffffffffffff81165f52600660205260ff60405f205416610c935760055460018114808015610c89575b610ac45750600303610c7f577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff820191821161054657610b5191905b33610cf1565b600360055414610b5f575f90565b3315610c53573015610c2757335f525f60205260405f205460018110610bf3577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff90335f525f6020520160405f2055305f525f60205260405f20600181540190556040516001815230907fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60203392a35f90565b7fe450d38c000000000000000000000000000000000000000000000000000000005f5233600452602452600160445260645ffd5b7fec442f05000000000000000000000000000000000000000000000000000000005f523060045260245ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b610b519190610b4b565b5060028214610b0f565b60646040517f08c379a000000000000000000000000000000000000000000000000000000000815260206004820152600760248201527f72656675736564000000000000000000000000000000000000000000000000006044820152fd5b73ffffffffffffffffffffffffffffffffffffffff16908115610de75773ffffffffffffffffffffffffffffffffffffffff16918215610dbb57815f525f60205260405f2054818110610d8957817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b827fec442f05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b507f96c6fd1e000000000000000000000000000000000000000000000000000000005f5260045260245ffd',
} as const
