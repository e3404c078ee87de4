// Generated from test/TestAccounts.sol by `npm run contracts`.
export const rejectingAccount = {
  contractName: 'RejectingAccount',
  abi: [
    {"inputs":[{"internalType":"bool","name":"accepting","type":"bool"}],"name":"setAccepting","outputs":[],"stateMutability":"nonpayable","type":"function"},
    {"stateMutability":"payable","type":"receive"},
  ],
  bytecode: '0x6080806040523460145760f890816100198239f35b5f80fdfe6080806040526004361015607e575b36156017575f80fd5b60ff5f541615602257005b807f08c379a0000000000000000000000000000000000000000000000000000000006064925260206004820152600860248201527f72656a65637465640000000000000000000000000000000000000000000000006044820152fd5b5f3560e01c637fcd4ecf03600e573460f45760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011260f45760043580151580910360f45760ff7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff005f54169116175f555f80f35b5f80fd',
} as const
