// Generated from hypercore/simulator/CoreStandIns.sol by `npm run contracts`.
export const coreWriterStandIn = {
  contractName: 'CoreWriterStandIn',
  abi: [
    {"anonymous":false,"inputs":[{"indexed":true,"internalType":"address","name":"user","type":"address"},{"indexed":false,"internalType":"bytes","name":"data","type":"bytes"}],"name":"RawAction","type":"event"},
    {"inputs":[{"internalType":"bytes","name":"data","type":"bytes"}],"name":"sendRawAction","outputs":[],"stateMutability":"nonpayable","type":"function"},
  ],
  bytecode: '0x6080806040523460155761016e908161001a8239f35b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c6317938e1314610025575f80fd5b3461016a5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261016a5760043567ffffffffffffffff811161016a573660238201121561016a5780600401359167ffffffffffffffff831161016a57366024848401011161016a575a7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9e58810190811161013d575b83815a11156100cd57506100be565b905060247f8c7f585fb295f7eb1e6aeb8fba61b23a4fe60beda405f0045073b185c74412e393602084528260208501520160408301375f604084830101526040817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f339601168101030190a2005b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b5f80fd',
} as const
