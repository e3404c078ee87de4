/** The operator page gets these records from its service. They are no public interface: page and service have the same version. */
import type { Leg } from '../order.ts'
import type { OrderStatus } from '../state.ts'

/** Times are ISO 8601; amounts are decimal strings, dollars with 2 to 6 decimals. */

export type OperatorSessionRecord = {
  readonly name: string
  readonly may_write: boolean
  /** The page sends this as the header `x-csrf-token` with every request that changes something. */
  readonly csrf_token: string
  readonly until: string
  readonly environment: string
}

export type HaltRecord = { readonly scope: string; readonly reason: string; readonly since: string }

export type ProviderRecord = {
  readonly name: string
  readonly answered: number
  readonly limited: number
  readonly failed: number
  readonly failing: boolean
}

export type ChainRecord = {
  readonly chain: string
  readonly name: string
  readonly height: string | null
  /** The recorded events are this many blocks behind the newest block. */
  readonly behind: number | null
  readonly block_age_seconds: number | null
  readonly block_seconds: number
  /** The chain counts as halted from this age of its newest block. */
  readonly halt_seconds: number
  readonly silent_seconds: number | null
  readonly healthy: boolean
  readonly problem: string | null
  readonly halted: HaltRecord | null
  readonly watched_elsewhere: boolean
  readonly told_of_blocks: boolean
  readonly providers: readonly ProviderRecord[]
}

export type SolverRecord = {
  readonly id: string
  readonly standing: string
  /** The value is from 0 to 1. */
  readonly reliability: number
  readonly open_orders: number
  readonly exposure_usd: string
}

export type OverviewRecord = {
  readonly at: string
  readonly started_at: string
  readonly chains: readonly ChainRecord[]
  readonly solvers: readonly SolverRecord[]
  readonly halts: readonly HaltRecord[]
  readonly counts: Readonly<Record<OrderStatus, number>>
  readonly in_progress: number
  readonly in_progress_usd: string
  readonly stuck: number
  readonly problems: { readonly warn: number; readonly error: number }
  readonly process: {
    readonly admits_orders: boolean
    readonly event_loop_percent: number
    readonly memory_megabytes: number
    readonly database: { readonly open: number; readonly idle: number; readonly waiting: number; readonly max: number }
    readonly streams: number
  }
}

export type WaitRecord = { readonly who: 'user' | 'solver' | 'service'; readonly text: string; readonly by: string | null }

export type OrderRowRecord = {
  readonly order_id: string
  readonly status: OrderStatus
  readonly app: string
  readonly solver_id: string
  readonly from: string
  readonly to: string
  readonly volume_usd: string
  readonly created_at: string
  readonly since: string
  readonly waits_for: WaitRecord | null
  /** This is the reason why the order counts as stuck, or null. */
  readonly stuck: string | null
}

export type OrderRowsRecord = {
  /** The oldest order comes first. */
  readonly orders: readonly OrderRowRecord[]
  readonly more: boolean
}

export type SearchRecord = { readonly total: number; readonly orders: readonly OrderRowRecord[] }

export type InventoryRecord = {
  readonly at: string
  readonly holdings: readonly {
    readonly solver_id: string
    readonly asset: string
    readonly symbol: string
    readonly balance: string
    readonly available: string
    readonly available_usd: string
  }[]
  readonly silent: readonly string[]
}

export type BudgetsRecord = {
  /** The relay key has this balance for network fees on each chain. It is null if the chain does not answer. */
  readonly gas: readonly {
    readonly chain: string
    readonly asset: string
    readonly symbol: string
    readonly address: string
    readonly balance: string | null
    readonly usd: string | null
  }[]
  readonly sponsorship: readonly { readonly app: string; readonly used: number; readonly per_day: number | null }[]
  readonly refunds: readonly { readonly app: string; readonly paid_usd: string; readonly per_day_usd: string }[]
}

export type StepRecord = {
  readonly from: OrderStatus
  readonly to: OrderStatus
  readonly orders: number
  readonly median_seconds: number
  readonly p95_seconds: number
  readonly slowest_seconds: number
  readonly slowest_order: string
}

export type ActivityRecord = {
  readonly period_seconds: number
  /** The oldest period comes first, and there are no gaps. */
  readonly periods: readonly { readonly at: string; readonly swaps: number; readonly volume_usd: string }[]
  readonly steps: readonly StepRecord[]
}

export type ProblemRecord = {
  readonly at: string
  readonly level: 'warn' | 'error' | 'fatal'
  readonly message: string
  readonly details: string
  readonly order_id: string | null
  readonly times: number
}

export type RuleRecord = {
  readonly who: string
  readonly verb: string
  readonly leg: Leg
  /** The playbook states the condition in these words. */
  readonly when: string
  readonly holds: boolean
}

export type ActionRecord = {
  readonly verb: string
  readonly leg: Leg
  readonly wanted: boolean
  readonly cancelling: boolean
  readonly failures: number
  readonly last_error: string | null
  readonly refusal: string | null
  readonly due_at: string
  readonly running: boolean
  readonly attempts: readonly {
    readonly number: number
    readonly tx: string
    readonly sender: string
    readonly at: string
    readonly reverted_at: string | null
    readonly refused_at: string | null
  }[]
}

export type LegRecord = {
  readonly chain: string
  readonly asset: string
  readonly amount: string
  readonly symbol: string
  readonly phase: string
  readonly phase_means: string
  readonly address: string
  readonly owner: string
  readonly confirmations: number
  readonly required_confirmations: number
  readonly timelock: string
  /** The URL has `{tx}` in the place of a hash. It is empty if no explorer shows the transactions. */
  readonly explorer_tx_url: string
  readonly deposits: readonly {
    readonly tx: string
    readonly amount: string
    readonly confirmations: number
    /** The text is like "84 blocks, about 14 h". It is null without a block. */
    readonly left: string | null
    /** `paid` is the payout after the fee. It is null if it is not known, or another deposit of the same transaction has it. */
    readonly spent: { readonly kind: 'redeemed' | 'refunded'; readonly tx: string; readonly paid: string | null } | null
  }[]
}

export type HistoryRecord = {
  readonly at: string
  readonly kind: 'status' | 'chain' | 'grant' | 'transaction'
  readonly text: string
  readonly tx: string | null
  readonly leg: Leg | null
}

export type OrderPageRecord = {
  readonly order_id: string
  readonly status: OrderStatus
  readonly status_means: string
  readonly app: string
  readonly solver_id: string
  readonly created_at: string
  readonly deadline: string
  readonly closed: boolean
  readonly waits_for: WaitRecord | null
  readonly stuck: string | null
  /** The playbook says in these words why the secret may not be shown yet. It is null if the secret may be shown or is out. */
  readonly not_revealed_because: string | null
  readonly declined: string | null
  readonly facts: readonly { readonly name: string; readonly value: string }[]
  readonly exchange: { readonly from: string; readonly to: string }
  readonly legs: Readonly<Record<Leg, LegRecord>>
  readonly rules: readonly RuleRecord[]
  readonly actions: readonly ActionRecord[]
  readonly history: readonly HistoryRecord[]
}
