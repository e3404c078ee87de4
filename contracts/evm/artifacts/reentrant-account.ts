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
        },
        {
          "internalType": "uint256",
          "name": "value",
          "type": "uint256"
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
  bytecode: '0x6080806040523460155761055b908161001a8239f35b5f80fdfe60808060405260043610156101dd575b50361561001a575f80fd5b60017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00600354161760035573ffffffffffffffffffffffffffffffffffffffff5f5416600254604051905f6001546100718161050a565b90600181169081156101aa575060011461015b575b50915f939181859403925af13d15610156573d67ffffffffffffffff8111610129577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0603f81601f6040519401160116810167ffffffffffffffff828210911117610129575f60203d92013e5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00ff61ff0060035492151560081b16911617600355005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b6100f3565b905060015f527fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf65f905b82821061019657505082015f610086565b600181602092548488015201910190610185565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001685525080151502830190505f610086565b5f3560e01c90816379b76a50146104ca5750806388cf33671461024e5763917f51b41461020a575f61000f565b3461024a575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261024a57602060ff600354166040519015158152f35b5f80fd5b3461024a5760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261024a5760043573ffffffffffffffffffffffffffffffffffffffff811680910361024a576024359067ffffffffffffffff821161024a573660238301121561024a57816004013567ffffffffffffffff811161024a57366024828501011161024a577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff006003541660035560443560025561031560015461050a565b601f8111610460575b505f601f82116001146103a1578192935f92610393575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916176001555b7fffffffffffffffffffffffff00000000000000000000000000000000000000005f5416175f555f80f35b602492500101358380610335565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08216937fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6915f5b868110610445575083600195961061040a575b505050811b01600155610368565b01602401357fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff600384901b60f8161c191690558380806103fc565b909260206001819260248787010135815501940191016103e9565b8181111561031e57601f820160051c90602083106104c2575b601f82910160051c03905f5b82811061049357505061031e565b5f8282017fb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf60155600101610485565b5f9150610479565b3461024a575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261024a5760209060ff60035460081c1615158152f35b90600182811c92168015610551575b602083101461052457565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b91607f169161051956',
} as const
