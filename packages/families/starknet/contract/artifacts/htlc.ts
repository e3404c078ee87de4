// Generated from packages/families/starknet/contract/src by `npm run cairo`.
export const htlcClass = {
  /** The part of the Sierra class that every deployment of the contract has. */
  classHash: '0x35558602998b72669645e5be0901c007811fc3420b64042de68cf8582582ee',
  /** SHA-256 of sources and compiler version. */
  sourceHash: 'bbfa2fc642cafeb89779cb238f73e219098541de15db1497da810f90460171ab',
  compiler: 'cairo 2.8.2',
} as const
