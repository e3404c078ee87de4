// Generated from test/TestAccounts.sol by `npm run contracts`: typed, so that ABI calls are checked.
export const reentrantAccount = {
  contractName: 'ReentrantAccount',
  abi: [
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
      "name": "arm",
      "outputs": [],
      "stateMutability": "nonpayable",
      "type": "function"
    },
    {
      "inputs": [],
      "name": "attempted",
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
      "stateMutability": "payable",
      "type": "receive"
    }
  ],
  bytecode: '0x60808060405234601557610523908161001a8239f35b5f80fdfe608060405260043610156101d8575b3615610018575f80fd5b60017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00600254161760025573ffffffffffffffffffffffffffffffffffffffff5f5416604051905f60015461006c816104d2565b90600181169081156101a55750600114610156575b5090825f8094819403925af13d15610151573d67ffffffffffffffff8111610124577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0603f81601f6040519401160116810167ffffffffffffffff828210911117610124575f60203d92013e5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ff61ff0060025492151560081b16911617600255005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b6100ee565b905060015f527fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf65f905b828210610191575050820182610081565b600181602092548488015201910190610180565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016855250801515028301905082610081565b5f3560e01c80633522bfd01461028457806379b76a50146102415763917f51b40361000e573461023d575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261023d57602060ff600254166040519015158152f35b5f80fd5b3461023d575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261023d57602060ff60025460081c166040519015158152f35b3461023d5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261023d5760043573ffffffffffffffffffffffffffffffffffffffff811680910361023d576024359067ffffffffffffffff821161023d573660238301121561023d57816004013567ffffffffffffffff811161023d57366024828501011161023d5761031d6001546104d2565b601f8111610468575b505f601f82116001146103a9578192935f9261039b575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916176001555b7fffffffffffffffffffffffff00000000000000000000000000000000000000005f5416175f555f80f35b60249250010135838061033d565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08216937fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6915f5b86811061044d5750836001959610610412575b505050811b01600155610370565b01602401357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff600384901b60f8161c19169055838080610404565b909260206001819260248787010135815501940191016103f1565b8181111561032657601f820160051c90602083106104ca575b601f82910160051c03905f5b82811061049b575050610326565b5f8282017fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6015560010161048d565b5f9150610481565b90600182811c92168015610519575b60208310146104ec57565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b91607f16916104e156',
} as const
