/** Signals between the processes of one database. A signal only saves waiting for a poll. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** An order was written on the chains that follow: watch them. */
export const ORDERS = 'orders '
/** Something may have happened on the chain that follows: poll it. */
export const CHAIN = 'chain '
/** Orders were derived: their status may have changed. */
export const DERIVED = 'derived'
/** Something was written about an order, by a process that runs no engine: reconcile. */
export const WAKE = 'wake'

/** A process has ended, and what it did is free. */
export const FREE = 'free'

export type SignalHandlers = {
  readonly onOrders: (chains: readonly ChainId[]) => void
  readonly onChain: (chain: ChainId) => void
  readonly onDerived: () => void
  readonly onWake: () => void
  readonly onFree: () => void
}

/** Others, of a newer version, are ignored. */
export function takeSignal(signal: string, { onOrders, onChain, onDerived, onWake, onFree }: SignalHandlers): void {
  if (signal.startsWith(ORDERS)) onOrders(signal.slice(ORDERS.length).split(' '))
  else if (signal.startsWith(CHAIN)) onChain(signal.slice(CHAIN.length))
  else if (signal === DERIVED) onDerived()
  else if (signal === WAKE) onWake()
  else if (signal === FREE) onFree()
}
