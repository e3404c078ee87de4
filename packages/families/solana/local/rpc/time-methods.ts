// Moves the clock on local chains only, with the method name of Surfpool, a local Solana node.
import type { SolanaNode } from '../solana-node.ts'
import type { Methods } from './context.ts'
import { configOf, countOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

export function timeMethods(node: SolanaNode): Methods {
  return {
    surfnet_timeTravel([options]) {
      const target = countOf(configOf(options).absoluteSlot)
      const { slot } = node.ledger.tip('processed')
      if (target <= slot) throw invalidParams(`Cannot travel to past slot: ${target}, current slot is ${slot}`)
      node.passSlots(target - slot)
      return { absoluteSlot: node.ledger.tip('processed').slot }
    },
  }
}
