/** Makes orders of the HTLC for tokens of HyperCore, and the calls that tests make with them. */

import type { PrefundedSwap } from '@tandem/chain-kit/port/abilities/prefund.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { EdrRequestError } from '@tandem/evm/local/edr-provider.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { type Abi, type Address, decodeErrorResult, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import type { HypercoreFixture } from './hypercore.fixture.ts'

export type CoreOrder = {
  readonly swap: PrefundedSwap
  readonly secret: Hex
  readonly args: readonly [Address, Address, bigint, bigint, Hex]
}

export type OrderChange = { readonly redeemer?: Address; readonly amount?: bigint }

export function createCoreOrder(
  { asset, user }: HypercoreFixture,
  { redeemer, amount }: Required<OrderChange>,
  deadline: bigint,
): CoreOrder {
  const secret = createSecret()
  const initiator = user.address
  const terms = { asset: asset.id, initiator, redeemer, amount, timelock: 600n, secretHash: hashSecret(secret) }
  return {
    swap: { terms, deadline, payer: null },
    secret: `0x${secret}`,
    args: [initiator, redeemer, 600n, amount, `0x${terms.secretHash}`],
  }
}

export function on(functionName: 'initiateOnBehalf' | 'refund', { args }: CoreOrder): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName, args })
}

export function consenting({ args, swap }: CoreOrder): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateFromAccount', args: [...args, swap.deadline] })
}

export function initiating({ args }: CoreOrder, owner: Address = args[0]): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateConsented', args: [owner, ...args] })
}

export function reclaiming(id: Hex, owner: Address): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'reclaim', args: [owner, id] })
}

export function withdrawing(coreToken: bigint): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'withdraw', args: [coreToken] })
}

export function crossing(owner: Address): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'cross', args: [owner] })
}

export function signedInitiating({ args }: CoreOrder, signature: Hex): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'initiateWithSignature', args: [...args, signature] })
}

export function redeeming({ args: [initiator, redeemer, timelock, amount], secret }: CoreOrder): Hex {
  return encodeFunctionData({ abi: htlcCore.abi, functionName: 'redeem', args: [initiator, redeemer, timelock, amount, secret] })
}

export function transfer(to: Address, value: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, value] })
}

/** The name is that of the error with which a call reverts, or 'none'. `to` is null for a creation. */
export async function refusalOf({ local }: HypercoreFixture, from: Address, data: Hex, to: Address | null): Promise<string> {
  try {
    await local.request({ method: 'eth_call', params: [{ from, ...(to && { to }), data }, 'latest'] })
  } catch (error) {
    if (!(error instanceof EdrRequestError) || typeof error.data !== 'string') throw error
    return error.data === '0x' ? 'nothing' : decodeErrorResult({ abi: htlcCore.abi as Abi, data: error.data as Hex }).errorName
  }
  return 'none'
}
