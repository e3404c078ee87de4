/**
 * Computes the data fee of rollups for each fee model of the registry. The results are upper bounds: the account must hold this much before
 * we sign. Calldata may contain a secret, so nodes learn only its size.
 */

import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, bytesToHex, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, size } from 'viem'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import type { TransactionCall } from '../send/transaction.ts'
import { feeModelOf } from './fees.ts'

/** This is OP Stack's predeploy. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F'
/** This is Arbitrum's virtual contract. */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8'

const oracleAbi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)'])
const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

/** An unsigned transaction without its calldata has at most this many bytes. */
const ENVELOPE_BYTES = 150
/** A changed storage slot takes up to 84 bytes uncompressed. None of our calls changes more than seven. */
const MAX_CHANGED_BYTES = 600n

/** Publishing our calls never took as much. A provider that answers more is wrong, and must not make us refuse the call. */
const MAX_DATA_GAS = 20_000_000n

type Asked = Pick<EvmNode, 'callAmount' | 'block'>

/** The data fee is charged beside the gas. It has a margin of one half: the fees of the parent chain may rise before the next block. */
export async function dataFeeOf(node: Asked, chain: Chain, { data }: TransactionCall): Promise<bigint> {
  const { dataFee } = feeModelOf(chain)
  if (dataFee === 'citrea') return withMargin(((await node.block('latest'))?.l1FeeRate ?? 0n) * MAX_CHANGED_BYTES)
  if (dataFee !== 'op-stack') return 0n
  const read = { abi: oracleAbi, functionName: 'getL1FeeUpperBound' } as const
  const call = { to: GAS_PRICE_ORACLE, data: encodeFunctionData({ ...read, args: [BigInt(size(data) + ENVELOPE_BYTES)] }) }
  return withMargin(await asked(node, call, (answer) => decodeFunctionResult({ ...read, data: answer })))
}

/** Not each call is asked for: data that is longer than that of `known` is charged in proportion, rounded up. */
export async function dataFees(node: Asked, chain: Chain, known: TransactionCall): Promise<(call: TransactionCall) => bigint> {
  const fee = await dataFeeOf(node, chain, known)
  const knownBytes = BigInt(size(known.data) + ENVELOPE_BYTES)
  return ({ data }) => {
    const bytes = BigInt(size(data) + ENVELOPE_BYTES)
    return bytes <= knownBytes ? fee : (fee * bytes + knownBytes - 1n) / knownBytes
  }
}

export async function dataGasOf(node: Asked, chain: Chain, { to, data }: Pick<TransactionCall, 'to' | 'data'>): Promise<bigint> {
  if (feeModelOf(chain).dataFee !== 'in-gas') return 0n
  const read = { abi: nodeInterfaceAbi, functionName: 'gasEstimateL1Component' } as const
  const call = { to: NODE_INTERFACE, data: encodeFunctionData({ ...read, args: [to, false, incompressible(size(data))] }) }
  const gas = withMargin(await asked(node, call, (answer) => decodeFunctionResult({ ...read, data: answer })[0]))
  return gas < MAX_DATA_GAS ? gas : MAX_DATA_GAS
}

/** The result is 0 where the contract does not exist: an owed payment must not fail because of it, and the node itself checks the funds. */
async function asked(node: Asked, call: NodeCall, amountOf: (answer: Hex) => bigint): Promise<bigint> {
  try {
    return await node.callAmount(call, amountOf, 'up')
  } catch (error) {
    if (error instanceof NodeRefusal) return 0n
    throw error
  }
}

/** Data is charged after compression, so random bytes are the upper bound. */
function incompressible(bytes: number): `0x${string}` {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)))
}

function withMargin(amount: bigint): bigint {
  return (amount * 3n) / 2n
}
