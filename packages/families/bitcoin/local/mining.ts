// Mines blocks after each transaction, by a timer, or only on request. The policy can change while the chain runs.
import type { BitcoinNode } from './node.ts'

export type MiningPolicy =
  | { readonly mode: 'instant' }
  | { readonly mode: 'interval'; readonly busyMs?: number; readonly idleMs?: number }
  | { readonly mode: 'manual' }

export type Miner = {
  setPolicy(policy: MiningPolicy): void
  /** Must be called when the mempool changed other than by a new transaction. */
  reschedule(): void
  close(): void
}

const BUSY_MS = 2_000
const IDLE_MS = 10_000

export function createMiner(node: BitcoinNode, rewardScript: Uint8Array, initial: MiningPolicy): Miner {
  let policy = initial
  let timer: NodeJS.Timeout | null = null
  let timerIsBusy = false

  function stopTimer(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  function mineAndRestart(): void {
    node.mine(rewardScript)
    startTimer()
  }

  function startTimer(): void {
    stopTimer()
    if (policy.mode !== 'interval') return
    timerIsBusy = node.mempool.entries.size > 0
    timer = setTimeout(mineAndRestart, timerIsBusy ? (policy.busyMs ?? BUSY_MS) : (policy.idleMs ?? IDLE_MS))
    timer.unref()
  }

  function onTransaction(): void {
    if (policy.mode === 'instant') node.mine(rewardScript)
    else if (policy.mode === 'interval' && !timerIsBusy) startTimer()
  }

  node.onTransaction(onTransaction)
  startTimer()

  return {
    setPolicy(next) {
      policy = next
      if (policy.mode === 'instant' && node.mempool.entries.size > 0) node.mine(rewardScript)
      startTimer()
    },
    reschedule: startTimer,
    close() {
      policy = { mode: 'manual' }
      stopTimer()
    },
  }
}
