/** Hashes transactions of version 3, which accounts sign: docs.starknet.io, "Transactions reference". The SDK is slower. */
import { type Felt, felt, poseidon, shortString } from '../../contract/client/felt.ts'
import type { Fees } from '../fees/fees.ts'
import type { GasAmounts } from '../nodes/node.ts'

export type Envelope = {
  readonly chainId: Felt
  readonly sender: Felt
  readonly nonce: bigint
  readonly gas: GasAmounts
  readonly fees: Fees
}

const VERSION: Felt = '0x3'
/** Nonces and fees are on L1: other modes are not in use. */
const DATA_AVAILABILITY: Felt = '0x0'
const nothing = poseidon([])

export function invokeHash(envelope: Envelope, calldata: readonly Felt[]): Felt {
  return hashOf('invoke', envelope, [nothing, poseidon(calldata)])
}

export type AccountDeployment = { readonly classHash: Felt; readonly salt: Felt; readonly constructorCalldata: readonly Felt[] }

export function deployAccountHash(envelope: Envelope, { classHash, salt, constructorCalldata }: AccountDeployment): Felt {
  return hashOf('deploy_account', envelope, [poseidon(constructorCalldata), classHash, salt])
}

function hashOf(kind: string, { chainId, sender, nonce, gas, fees }: Envelope, rest: readonly Felt[]): Felt {
  const { prices, tip } = fees
  const bounds = [
    felt(tip),
    bound('L1_GAS', gas.l1Gas, prices.l1Gas),
    bound('L2_GAS', gas.l2Gas, prices.l2Gas),
    bound('L1_DATA', gas.l1DataGas, prices.l1DataGas),
  ]
  // The empty list is for paymasters, which no network has.
  const common = [shortString(kind), VERSION, sender, poseidon(bounds), nothing, chainId, felt(nonce), DATA_AVAILABILITY]
  return poseidon([...common, ...rest])
}

/** A bound has the name of the resource, 64 bits for the amount, and 128 for the price. */
function bound(resource: string, amount: bigint, price: bigint): Felt {
  if (amount >= 2n ** 64n || price >= 2n ** 128n) throw new RangeError(`the bounds of ${resource} are too large`)
  return felt((BigInt(shortString(resource)) << 192n) + (amount << 128n) + price)
}
