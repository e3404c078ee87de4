// Generated from hypercore/simulator/CoreStandIns.sol by `npm run contracts`.
export const coreUserExistsStandIn = {
  contractName: 'CoreUserExistsStandIn',
  abi: [
    {"stateMutability":"nonpayable","type":"fallback"},
  ],
  bytecode: '0x608080604052346013576098908160188239f35b5f80fdfe6080346094575f35602036106066575b549060208101918252602081526040810181811067ffffffffffffffff8211176039576040525190f35b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff3660200360031b1b16600f565b5f80fd',
} as const
