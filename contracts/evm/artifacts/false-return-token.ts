// Generated from test/HostileTokens.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const falseReturnToken = {
  contractName: 'FalseReturnToken',
  abi: [
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
      "inputs": [],
      "name": "failing",
      "outputs": [
        {
          "internalType": "bool",
          "name": "",
          "type": "bool"
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
          "internalType": "bool",
          "name": "failing_",
          "type": "bool"
        }
      ],
      "name": "setFailing",
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
  bytecode: '0x60a06040523461033b57604080519081016001600160401b03811182821017610243576040908152600c82526b2330b639b2903932ba3ab93760a11b602083015280519081016001600160401b0381118282101761024357604052600581526446414c534560d81b602082015281516001600160401b03811161024357600354600181811c91168015610331575b602082101461022557601f81116102c3575b50602092601f821160011461026257928192935f92610257575b50508160011b915f199060031b1c1916176003555b80516001600160401b03811161024357600454600181811c91168015610239575b602082101461022557601f81116101b7575b50602091601f8211600114610157579181925f9261014c575b50508160011b915f199060031b1c1916176004555b6012608052604051610b9390816103408239608051816105220152f35b015190505f8061011a565b601f1982169260045f52805f20915f5b85811061019f57508360019510610187575b505050811b0160045561012f565b01515f1960f88460031b161c191690555f8080610179565b91926020600181928685015181550194019201610167565b818111156101015760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b6020841061021d575b81601f9101920160051c03905f5b828110610210575050610101565b5f82820155600101610202565b5f91506101f4565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100ef565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100b9565b601f1982169360035f52805f20915f5b8681106102ab5750836001959610610293575b505050811b016003556100ce565b01515f1960f88460031b161c191690555f8080610285565b91926020600181928685015181550194019201610272565b8181111561009f5760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b60208410610329575b81601f9101920160051c03905f5b82811061031c57505061009f565b5f8282015560010161030e565b5f9150610300565b90607f169061008d565b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c8063049ddbf81461097657806306fdde0314610840578063095ea7b31461076f5780631118b8791461072f57806318160ddd146106f457806323b872dd14610546578063313ce567146104eb57806340c10f19146103ec57806370a082311461038a57806395d89b4114610195578063a9059cbb1461012d5763dd62ed3e1461009d575f80fd5b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576100d4610a2b565b73ffffffffffffffffffffffffffffffffffffffff6100f1610a4e565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957610164610a2b565b60055460ff161561017e575060205f5b6040519015158152f35b61018c906024359033610a71565b60206001610174565b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576040515f600454908160011c60018316928315610380575b6020821084146103535781855284939081156102f35750600114610279575b5003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761024c576040829052819061024890826109e3565b0390f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b60045f90815291507f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b5b8183106102d757505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06101fa565b60209193508060019154838588010152019101909183926102a3565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208581019190915291151560051b840190910191507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe090506101fa565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b90607f16906101db565b346101295760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101295773ffffffffffffffffffffffffffffffffffffffff6103d6610a2b565b165f525f602052602060405f2054604051908152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957610423610a2b565b73ffffffffffffffffffffffffffffffffffffffff1660243581156104bf57600254908082018092116104925760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b507fec442f05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957602060405160ff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346101295760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101295761057d610a2b565b610585610a4e565b6044359060ff600554165f146105a35750506040515f815260209150f35b73ffffffffffffffffffffffffffffffffffffffff831692835f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f20547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff811061061b575b5061018c9350610a71565b8381106106c05784156106945733156106685761018c945f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f209103905584610610565b7f94280d62000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b847fe602df05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b83907ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576020600254604051908152f35b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957602060ff600554166040519015158152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576107a6610a2b565b73ffffffffffffffffffffffffffffffffffffffff16602435811561081457335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b507f94280d62000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576040515f600354908160011c6001831692831561096c575b6020821084146103535781855284939081156102f357506001146108f2575003601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01681019067ffffffffffffffff82118183101761024c576040829052819061024890826109e3565b60035f90815291507fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b5b81831061095057505081016020017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06101fa565b602091935080600191548385880101520191019091839261091c565b90607f1690610886565b346101295760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576004358015158091036101295760ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00600554169116176005555f80f35b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361012957565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361012957565b73ffffffffffffffffffffffffffffffffffffffff16908115610b675773ffffffffffffffffffffffffffffffffffffffff16918215610b3b57815f525f60205260405f2054818110610b0957817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b827fec442f05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b507f96c6fd1e000000000000000000000000000000000000000000000000000000005f5260045260245ffd',
} as const
