/** What a process knows of a chain, for its operator. */
import type { WatcherStatus } from './chain-watcher.ts'

export type ChainStatus = WatcherStatus & {
  readonly isHealthy: boolean
  /** Since the chain last answered; null: it never did. */
  readonly silentMs: number | null
  readonly isAnnounced: boolean
}
