// Generated from hypercore/CoreDeposit.sol by `npm run contracts`.
export const coreDeposit = {
  contractName: 'CoreDeposit',
  abi: [
    {"inputs":[{"internalType":"contract IBalance","name":"token","type":"address"},{"internalType":"address payable","name":"initiator","type":"address"}],"stateMutability":"nonpayable","type":"constructor"},
    {"inputs":[],"name":"HTLC__TransferFailed","type":"error"},
  ],
  bytecode: '0x6080806040523461010957604081610158803803809161001f8285610120565b8339810103126101095780516001600160a01b03811691908290036101095760200151906001600160a01b0382168203610109576040516370a0823160e01b8152306004820152602081602481855afa908115610115575f916100df575b50806100865782ff5b5f60446020926040519063a9059cbb60e01b8252336004830152602482015282855af1903d156100d6575060015f5114601f3d1116165b156100c7575f8082ff5b63ad24b13d60e01b5f5260045ffd5b3b1515166100bd565b90506020813d60201161010d575b816100fa60209383610120565b8101031261010957515f61007d565b5f80fd5b3d91506100ed565b6040513d5f823e3d90fd5b601f909101601f19168101906001600160401b0382119082101761014357604052565b634e487b7160e01b5f52604160045260245ffdfe',
  deployedBytecode: '0x5f80fd',
  immutableReferences: {},
  sourceHash: '42c49a2dd079a309c438bf59fb9f5cf0fd91d43da5ccab52891df9f22887d4f2',
  compiler: {"version":"0.8.37+commit.f401782d.Emscripten.clang","settings":{"optimizer":{"enabled":true,"runs":200},"viaIR":true,"evmVersion":"cancun","metadata":{"bytecodeHash":"none","appendCBOR":false}}},
} as const
