/** Reads which orders a call of an HTLC is about. */
import { hashSecret } from '@tandem/protocol/secret.ts'
import { type Address, decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'

export type CalledOrder = {
  readonly initiator: Address
  readonly redeemer: Address
  readonly timelock: bigint
  readonly amount: bigint
  readonly secretHash: string
}

export type HtlcCall = { readonly name: string; readonly orders: readonly CalledOrder[] }

/** `sender` sends the call. Returns null for calldata that no call of ours has: other functions, and bytes that the contract would ignore. */
export function readHtlcCall(data: Hex, sender: Address): HtlcCall | null {
  try {
    const call = decodeFunctionData({ abi: htlcErc20.abi, data })
    if (encodeFunctionData({ abi: htlcErc20.abi, ...call } as Parameters<typeof encodeFunctionData>[0]) !== data) return null
    const orders = ordersOf(call, sender)
    return orders.length === 0 ? null : { name: call.functionName, orders }
  } catch {
    return null
  }
}

function ordersOf(call: ReturnType<typeof decodeCall>, sender: Address): readonly CalledOrder[] {
  switch (call.functionName) {
    case 'initiate': {
      const [redeemer, timelock, amount, secretHash] = call.args
      return [orderOf({ initiator: sender, redeemer, timelock, amount }, secretHash)]
    }
    case 'initiateOnBehalf':
    case 'initiateWithSignature':
    case 'initiateByAuthorization':
    case 'initiateByPermit':
    case 'initiateBySignatureTransfer':
    case 'refund':
    case 'instantRefund': {
      const [initiator, redeemer, timelock, amount, secretHash] = call.args
      return [orderOf({ initiator, redeemer, timelock, amount }, secretHash)]
    }
    case 'redeem':
    case 'redeemOfferingCoinForGas': {
      const [initiator, redeemer, timelock, amount, secret] = call.args
      return [orderOf({ initiator, redeemer, timelock, amount }, hashOf(secret))]
    }
    case 'redeemBatch': {
      const [redeemer, redemptions] = call.args
      return redemptions.map(({ initiator, timelock, amount, secret }) =>
        orderOf({ initiator, redeemer, timelock, amount }, hashOf(secret)),
      )
    }
    case 'initiateDeposit':
    case 'reclaimDeposited': {
      const [deposit] = call.args
      return [orderOf(deposit, deposit.secretHash)]
    }
    default:
      return []
  }
}

const decodeCall = (data: Hex) => decodeFunctionData({ abi: htlcErc20.abi, data })

function orderOf({ initiator, redeemer, timelock, amount }: Omit<CalledOrder, 'secretHash'>, secretHash: Hex): CalledOrder {
  return { initiator, redeemer, timelock, amount, secretHash: secretHash.slice(2) }
}

function hashOf(secret: Hex): Hex {
  return `0x${hashSecret(secret.slice(2))}`
}
