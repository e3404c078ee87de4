/**
 * The CREATE2 deployer (EIP-1014), through which a contract gets the same address on every chain: the address depends on a salt and the code
 * alone. The deployer has no owner. Nobody signed the transaction that creates it: its signature is a made-up number, which recovers to an
 * account without a known key. So it has one address on all chains that accept that transaction.
 */
import { type Address, concat, getContractAddress, type Hex, pad } from 'viem'
import type { TransactionCall } from '../../server/send/transaction.ts'

export const create2Deployer = {
  address: '0x4e59b44847b379578588920ca78fbf26c0b4956c',
  code: '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
  sender: '0x3fab184622dc19b6109349b94811493bf2a45362',
  /** The transaction has 100,000 gas at 100 gwei, and no chain id. */
  transaction:
    '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222',
  gasPrice: 100_000_000_000n,
  /** The sender needs this balance. */
  cost: 10_000_000_000_000_000n,
} as const satisfies Readonly<Record<string, Hex | bigint>>

/** All contracts share the salt, so a contract has the same address on every chain where its constructor gets the same arguments. */
const SALT = pad('0x', { size: 32 })

export function create2AddressOf(initCode: Hex): Address {
  const address = getContractAddress({ opcode: 'CREATE2', from: create2Deployer.address, salt: SALT, bytecode: initCode })
  return address.toLowerCase() as Address
}

export function create2Call(initCode: Hex): TransactionCall {
  return { to: create2Deployer.address, data: concat([SALT, initCode]), value: 0n }
}
