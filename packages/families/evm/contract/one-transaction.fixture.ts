// Makes several calls in one transaction: by a contract, as a batch payout does, or by a key that has code (EIP-7702).
import {
  type Abi,
  type Address,
  concat,
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  type PrivateKeyAccount,
  parseEventLogs,
  type RpcLog,
  type RpcTransactionReceipt,
  size,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { batchAccount } from './artifacts/batch-account.ts'
import type { ContractFixture } from './contract.fixture.ts'

/** Without a target, `data` is the code of a contract that is created. */
export interface InnerCall {
  readonly target: Address
  readonly value: bigint
  readonly data: Hex
}

export interface Batches {
  /** The caller pays the values. */
  byContract(caller: PrivateKeyAccount, calls: readonly InnerCall[]): Promise<Outcome>
  /** The key is none of the fixture's accounts. */
  byKeyWithCode(calls: readonly InnerCall[]): Promise<Outcome>
}

export interface Outcome {
  /** Each is the error of a call, or null. */
  readonly errors: readonly (string | null)[]
  readonly receipt: RpcTransactionReceipt
}

export async function createBatches(fixture: ContractFixture, errors: Abi): Promise<Batches> {
  const contract = await fixture.deploy(batchAccount)
  const key = privateKeyToAccount(generatePrivateKey())
  await fixture.send({ from: fixture.deployer, to: key.address, value: 10n ** 21n })
  await fixture.delegate(key, contract)

  async function run(from: PrivateKeyAccount, to: Address, calls: readonly InnerCall[]): Promise<Outcome> {
    const value = calls.reduce((sum, call) => sum + call.value, 0n)
    const data = encodeFunctionData({ abi: batchAccount.abi, functionName: 'run', args: [calls] })
    const receipt = await fixture.send({ from, to, data, value })
    const logs = parseEventLogs({ abi: batchAccount.abi, logs: receipt.logs as RpcLog[] })
    return { errors: logs.map(({ args: { success, reason } }) => (success ? null : nameOf(errors, reason))), receipt }
  }

  return {
    byContract: (caller, calls) => run(caller, contract, calls),
    byKeyWithCode: (calls) => run(key, key.address, calls),
  }
}

function nameOf(errors: Abi, reason: Hex): string {
  return BigInt(reason) === 0n ? 'no reason' : decodeErrorResult({ abi: errors, data: reason }).errorName
}

/** The call is made while a contract is created, which has no code yet. It reverts as the call does. */
export function whileCreated(to: Address, data: Hex): InnerCall {
  const length = numberToHex(size(data), { size: 2 })
  const copy = concat(['0x61', length, '0x61', numberToHex(CODE_LENGTH, { size: 2 }), '0x600039'])
  const call = concat(['0x6000600061', length, '0x6000600073', to, '0x5af1'])
  const [jumpIfMade, revert, stop] = ['0x603557', '0x3d5f5f3e3d5ffd', '0x5b5f5ff3'] as const
  return { target: zeroAddress, value: 0n, data: concat([copy, call, jumpIfMade, revert, stop, data]) }
}

const CODE_LENGTH = 57
