/** Reads the calls that only swaps of HyperCore have. Calldata that no call of ours has is null: other functions, and bytes that would be ignored. */
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import type { CalledOrder } from '@tandem/evm/terms/read-call.ts'
import { decodeFunctionData, encodeFunctionData, type Hex } from 'viem'
import { coreWriterAbi, parseSpotSend, type SpotSend, spotSendData } from './core.ts'

export type CoreCall =
  | { readonly name: 'initiateConsented'; readonly order: CalledOrder }
  | { readonly name: 'reclaim'; readonly orderId: Hex }
  | { readonly name: 'cross' }

export function readCoreCall(data: Hex): CoreCall | null {
  try {
    const call = decodeFunctionData({ abi: htlcCore.abi, data })
    if (encodeFunctionData({ abi: htlcCore.abi, ...call } as Parameters<typeof encodeFunctionData>[0]) !== data) return null
    if (call.functionName === 'cross') return { name: 'cross' }
    if (call.functionName === 'reclaim') return { name: 'reclaim', orderId: call.args[1] }
    if (call.functionName !== 'initiateConsented') return null
    const [, initiator, redeemer, timelock, amount, secretHash] = call.args
    return { name: 'initiateConsented', order: { initiator, redeemer, timelock, amount, secretHash: secretHash.slice(2) } }
  } catch {
    return null
  }
}

/** The call is one of HyperCore's writer. */
export function readSpotSend(data: Hex): SpotSend | null {
  try {
    const { args } = decodeFunctionData({ abi: coreWriterAbi, data })
    const send = parseSpotSend(args[0])
    return send !== null && spotSendData(send) === data ? send : null
  } catch {
    return null
  }
}
