// Generated from hypercore/simulator/CoreStandIns.sol by `npm run contracts`.
export const hypeBridgeStandIn = {
  contractName: 'HypeBridgeStandIn',
  abi: [
    {"anonymous":false,"inputs":[{"indexed":true,"internalType":"address","name":"user","type":"address"},{"indexed":false,"internalType":"uint256","name":"amount","type":"uint256"}],"name":"Received","type":"event"},
    {"stateMutability":"payable","type":"receive"},
  ],
  bytecode: '0x608080604052346013576039908160188239f35b5f80fdfe6080806040523615600e575f80fd5b3481527f88a5966d370b9919b20f3e2c13ff65706f196a4e32cc2c12bf57088f8852587460203392a200',
} as const
