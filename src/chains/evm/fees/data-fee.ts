/**
 * What rollups charge for publishing a transaction, in the ways that chains of the registry do it: upper bounds, for what must be at hand
 * before anything is signed. Nobody is shown the call data for it, which may hold a secret: its size is all that is told.
 */
import { type Address, bytesToHex, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, size } from 'viem'
import type { Chain } from '../../../protocol/chain.ts'
import type { EvmNode, NodeCall } from '../nodes/node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import type { TransactionCall } from '../send/transaction.ts'
import { feeModelOf } from './fees.ts'

/** OP Stack's predeploy. */
const GAS_PRICE_ORACLE: Address = '0x420000000000000000000000000000000000000F'
/** Arbitrum's virtual contract. */
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8'

const oracleAbi = parseAbi(['function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)'])
const nodeInterfaceAbi = parseAbi([
  'function gasEstimateL1Component(address to, bool contractCreation, bytes data) view returns (uint64 gasEstimateForL1, uint256 baseFee, uint256 l1BaseFeeEstimate)',
])

/** All of an unsigned transaction but its call data, each number at its longest. */
const ENVELOPE_BYTES = 150
/** A change of one storage slot takes up to 84 bytes before it is compressed, and none of our calls changes more than seven. */
const MOST_CHANGED_BYTES = 600n

/** More than publishing any call of ours has ever taken: whoever names more is wrong, and must not make it look unaffordable. */
const MOST_DATA_GAS = 20_000_000n

type Asked = Pick<EvmNode, 'callAmount' | 'block'>

/** What leaves the sender's balance beside the gas. Half more than now, since the other chain's fees may rise before the next block. */
export async function dataFeeOf(node: Asked, chain: Chain, { data }: TransactionCall): Promise<bigint> {
  const { dataFee } = feeModelOf(chain)
  if (dataFee === 'citrea') return withMargin(((await node.block('latest'))?.l1FeeRate ?? 0n) * MOST_CHANGED_BYTES)
  if (dataFee !== 'op-stack') return 0n
  const question = { abi: oracleAbi, functionName: 'getL1FeeUpperBound' } as const
  const call = { to: GAS_PRICE_ORACLE, data: encodeFunctionData({ ...question, args: [BigInt(size(data) + ENVELOPE_BYTES)] }) }
  return withMargin(await asked(node, call, (answer) => decodeFunctionResult({ ...question, data: answer })))
}

/** What a transaction uses of its gas limit for the same purpose, on top of what it does. */
export async function dataGasOf(node: Asked, chain: Chain, { to, data }: Pick<TransactionCall, 'to' | 'data'>): Promise<bigint> {
  if (feeModelOf(chain).dataFee !== 'in-gas') return 0n
  const question = { abi: nodeInterfaceAbi, functionName: 'gasEstimateL1Component' } as const
  const call = { to: NODE_INTERFACE, data: encodeFunctionData({ ...question, args: [to, false, incompressible(size(data))] }) }
  const gas = withMargin(await asked(node, call, (answer) => decodeFunctionResult({ ...question, data: answer })[0]))
  return gas < MOST_DATA_GAS ? gas : MOST_DATA_GAS
}

/** 0 where there is nobody who could say: a payment that is owed must not wait for that, and the node itself knows what it charges. */
async function asked(node: Asked, call: NodeCall, amountOf: (answer: Hex) => bigint): Promise<bigint> {
  try {
    return await node.callAmount(call, amountOf, 'up')
  } catch (error) {
    if (error instanceof NodeRefusal) return 0n
    throw error
  }
}

/** Data are charged as compressed: of all of one length, random ones cost the most. */
function incompressible(bytes: number): `0x${string}` {
  return bytesToHex(crypto.getRandomValues(new Uint8Array(bytes)))
}

function withMargin(amount: bigint): bigint {
  return (amount * 3n) / 2n
}
