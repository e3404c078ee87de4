/** The signals between the processes of one database. A signal only saves waiting for a poll, and may be lost. */
import type { ChainId } from '@tandem/protocol/chain-id.ts'

/** An order was written. The ids of its chains follow. */
export const ORDERS = 'orders '
/** Something may have happened on a chain. Its id follows. */
export const CHAIN = 'chain '
/** Orders were derived, so their status may have changed. */
export const DERIVED = 'derived'
/** A process without an engine wrote something about an order, so engines reconcile. */
export const WAKE = 'wake'

/** A process has ended, and its leases are free. */
export const FREE = 'free'

export type SignalHandlers = {
  readonly onOrders: (chains: readonly ChainId[]) => void
  readonly onChain: (chain: ChainId) => void
  readonly onDerived: () => void
  readonly onWake: () => void
  readonly onFree: () => void
}

/** Unknown signals come from processes of a newer version, and are ignored. */
export function takeSignal(signal: string, { onOrders, onChain, onDerived, onWake, onFree }: SignalHandlers): void {
  if (signal.startsWith(ORDERS)) onOrders(signal.slice(ORDERS.length).split(' '))
  else if (signal.startsWith(CHAIN)) onChain(signal.slice(CHAIN.length))
  else if (signal === DERIVED) onDerived()
  else if (signal === WAKE) onWake()
  else if (signal === FREE) onFree()
}
