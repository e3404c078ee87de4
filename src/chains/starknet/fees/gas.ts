/** The gas that a transaction may take: the node's estimate with a margin. */
import type { Felt } from '../../../../contracts/starknet/client/felt.ts'
import { ChainFailure } from '../../port/failure.ts'
import type { GasAmounts, StarknetNode, WireTransaction } from '../nodes/node.ts'
import { invokeWire, type Multicall } from '../send/transaction.ts'

/** No transaction may take more L2 gas: docs.starknet.io, "Current limits". */
const MAX_L2_GAS = 1_000_000_000n

/** Several times what our contract takes beside the payment of its token: one block of SHA-256, an order read and written, an event. */
const REDEEM_GAS: GasAmounts = { l1Gas: 0n, l1DataGas: 512n, l2Gas: 12_000_000n }

/** Five times a relay for an account with one key. Accounts with several owners or a passkey take up to 40 million more. */
const MAX_RELAY_L2_GAS = 60_000_000n

type Estimating = Pick<StarknetNode, 'nonce' | 'estimate'>

const noGas: GasAmounts = { l1Gas: 0n, l1DataGas: 0n, l2Gas: 0n }
/** For estimates: nothing is charged. */
export const unpriced = { gas: noGas, fees: { prices: noGas, tip: 0n } } as const

/** Executes the calls on the newest state, as the sender's account would. Rejects with a NodeRefusal if they revert. */
export async function estimateCalls(node: Estimating, sender: Felt, call: Multicall): Promise<GasAmounts> {
  const nonce = await node.nonce(sender)
  return estimateGas(node, invokeWire({ ...unpriced, chainId: '0x0', sender, nonce }, call))
}

async function estimateGas(node: Estimating, transaction: WireTransaction): Promise<GasAmounts> {
  return (await node.estimate(transaction, { validates: false })).gas
}

/** Half more than the estimate: other transactions may change the state before this one is mined. */
export function withMargin({ l1Gas, l1DataGas, l2Gas }: GasAmounts): GasAmounts {
  const more = (amount: bigint) => (amount * 3n + 1n) / 2n
  const wanted = more(l2Gas)
  if (l2Gas > MAX_L2_GAS) throw new ChainFailure('would-fail', `it would take ${l2Gas} L2 gas, and a transaction may take ${MAX_L2_GAS}`)
  return { l1Gas: more(l1Gas), l1DataGas: more(l1DataGas), l2Gas: wanted < MAX_L2_GAS ? wanted : MAX_L2_GAS }
}

/** Of a redeem that no node may see yet. `payment`: what a plain payment to the redeemer takes. */
export function redeemGas(payment: GasAmounts): GasAmounts {
  const add = (resource: keyof GasAmounts) => payment[resource] * 2n + REDEEM_GAS[resource]
  return { l1Gas: add('l1Gas'), l1DataGas: add('l1DataGas'), l2Gas: add('l2Gas') }
}

/** The initiator's account checks its own signature, and can burn any amount of gas there. */
export function assertRelayGas({ l2Gas }: GasAmounts): void {
  if (l2Gas <= MAX_RELAY_L2_GAS) return
  throw new ChainFailure('would-fail', `initiate: it would take ${l2Gas} L2 gas, and we pay for ${MAX_RELAY_L2_GAS}`)
}
