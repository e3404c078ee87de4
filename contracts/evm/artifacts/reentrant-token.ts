// Generated from test/HostileTokens.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const reentrantToken = {
  contractName: 'ReentrantToken',
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
          "name": "target",
          "type": "address"
        },
        {
          "internalType": "bytes",
          "name": "data",
          "type": "bytes"
        },
        {
          "internalType": "uint256",
          "name": "withheld",
          "type": "uint256"
        }
      ],
      "name": "arm",
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
      "inputs": [],
      "name": "callSucceeded",
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
  bytecode: '0x60a06040523461033a57604080519081016001600160401b0381118282101761024257604090815260098252681499595b9d1c985b9d60ba1b602083015280519081016001600160401b038111828210176102425760405260078152662922a2a72a22a960c91b602082015281516001600160401b03811161024257600354600181811c91168015610330575b602082101461022457601f81116102c2575b50602092601f821160011461026157928192935f92610256575b50508160011b915f199060031b1c1916176003555b80516001600160401b03811161024257600454600181811c91168015610238575b602082101461022457601f81116101b6575b50602091601f8211600114610156579181925f9261014b575b50508160011b915f199060031b1c1916176004555b6012608052604051610e70908161033f8239608051816106d60152f35b015190505f80610119565b601f1982169260045f52805f20915f5b85811061019e57508360019510610186575b505050811b0160045561012e565b01515f1960f88460031b161c191690555f8080610178565b91926020600181928685015181550194019201610166565b818111156101005760045f52601f820160051c7f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b6020841061021c575b81601f9101920160051c03905f5b82811061020f575050610100565b5f82820155600101610201565b5f91506101f3565b634e487b7160e01b5f52602260045260245ffd5b90607f16906100ee565b634e487b7160e01b5f52604160045260245ffd5b015190505f806100b8565b601f1982169360035f52805f20915f5b8681106102aa5750836001959610610292575b505050811b016003556100cd565b01515f1960f88460031b161c191690555f8080610284565b91926020600181928685015181550194019201610271565b8181111561009e5760035f52601f820160051c7fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b60208410610328575b81601f9101920160051c03905f5b82811061031b57505061009e565b5f8282015560010161030d565b5f91506102ff565b90607f169061008c565b5f80fdfe60806040526004361015610011575f80fd5b5f3560e01c806306fdde031461099a578063095ea7b3146108c957806318160ddd1461088e57806323b872dd146106fa578063313ce5671461069f57806340c10f19146105a057806370a082311461053e57806379b76a50146104fe57806388cf33671461029257806395d89b411461017c578063a9059cbb1461012d5763dd62ed3e1461009d575f80fd5b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576100d4610b64565b73ffffffffffffffffffffffffffffffffffffffff6100f1610b87565b91165f52600160205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060405f2054604051908152f35b5f80fd5b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957610171610167610b64565b6024359033610baa565b602060405160018152f35b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576040515f6004546101ba81610a5d565b808452906001811690811561025057506001146101f2575b6101ee836101e281850382610aae565b60405191829182610b1c565b0390f35b60045f9081527f8a35acfbc15ff81a39ae7d344fd709f28e8600b4aa8c65c6b64bfe7fe36bd19b939250905b808210610236575090915081016020016101e26101d2565b91926001816020925483858801015201910190929161021e565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208086019190915291151560051b840190910191506101e290506101d2565b346101295760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576102c9610b64565b6024359067ffffffffffffffff821161012957366023830112156101295781600401359167ffffffffffffffff831161012957366024848301011161012957604435600755610319600654610a5d565b601f8111610494575b505f90601f84116001146103be5773ffffffffffffffffffffffffffffffffffffffff93915f91836103b0575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916176006555b167fffffffffffffffffffffffff000000000000000000000000000000000000000060055416176005555f80f35b60249250010135848061034f565b7ff652222313e28459528d920b65115c16c04f3efc82aaedc97be59f3f377c0d3f917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe085165f5b818110610479575091600193918673ffffffffffffffffffffffffffffffffffffffff97941061043e575b505050811b01600655610382565b01602401357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff600384901b60f8161c19169055848080610430565b91936020600181926024888801013581550195019201610405565b8381111561032257601f840160051c90602085106104f6575b601f82910160051c03905f5b8281106104c7575050610322565b5f8282017ff652222313e28459528d920b65115c16c04f3efc82aaedc97be59f3f377c0d3f01556001016104b9565b5f91506104ad565b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957602060ff600854166040519015158152f35b346101295760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126101295773ffffffffffffffffffffffffffffffffffffffff61058a610b64565b165f525f602052602060405f2054604051908152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576105d7610b64565b73ffffffffffffffffffffffffffffffffffffffff16602435811561067357600254908082018092116106465760207fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef915f9360025584845283825260408420818154019055604051908152a3005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b507fec442f05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957602060405160ff7f0000000000000000000000000000000000000000000000000000000000000000168152f35b346101295760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957610731610b64565b610739610b87565b6044359073ffffffffffffffffffffffffffffffffffffffff831692835f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f20547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff81106107b5575b506101719350610baa565b83811061085a57841561082e57331561080257610171945f52600160205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f2091039055846107aa565b7f94280d62000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b847fe602df05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b83907ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576020600254604051908152f35b346101295760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261012957610900610b64565b73ffffffffffffffffffffffffffffffffffffffff16602435811561096e57335f52600160205260405f20825f526020528060405f20556040519081527f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92560203392a3602060405160018152f35b507f94280d62000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610129575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610129576040515f6003546109d881610a5d565b808452906001811690811561025057506001146109ff576101ee836101e281850382610aae565b60035f9081527fc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b939250905b808210610a43575090915081016020016101e26101d2565b919260018160209254838588010152019101909291610a2b565b90600182811c92168015610aa4575b6020831014610a7757565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b91607f1691610a6c565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff821117610aef57604052565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602060409481855280519182918282880152018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361012957565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361012957565b919073ffffffffffffffffffffffffffffffffffffffff600554168015610d48577fffffffffffffffffffffffff0000000000000000000000000000000000000000600554166005556040515f600654610c0381610a5d565b9060018116908115610d155750600114610cc6575b5091815f809493819403925af13d15610cc1573d67ffffffffffffffff8111610aef5760405190610c7160207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8401160183610aae565b81525f60203d92013e5b60ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00600854169115151617600855600754820391821161064657610cbf92610d4e565b565b610c7b565b905060065f527ff652222313e28459528d920b65115c16c04f3efc82aaedc97be59f3f377c0d3f5f905b828210610d01575050810181610c18565b600181602092548487015201910190610cf0565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016845250801515028201905081610c18565b50610cbf925b73ffffffffffffffffffffffffffffffffffffffff16908115610e445773ffffffffffffffffffffffffffffffffffffffff16918215610e1857815f525f60205260405f2054818110610de657817fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92602092855f525f84520360405f2055845f525f825260405f20818154019055604051908152a3565b827fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b827fec442f05000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b507f96c6fd1e000000000000000000000000000000000000000000000000000000005f5260045260245ffd',
} as const
