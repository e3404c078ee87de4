/** Every time constant of the engine, with its unit in its name. `pace.ts` says when a chain is polled and what a poll reads. */

// Polling a chain.

/** The minimum time between the starts of two polls, however often the chain is woken. */
export const POLL_COOLDOWN_MS = 20
/** The interval while no order is open: a late deposit to a finished order can wait. */
export const IDLE_POLL_MS = 10_000
/** The interval while another process watches the chain: we notice this late that it is gone. */
export const STANDBY_POLL_MS = 2_000
/** Each event of a swap, and each action, keeps its chains at the full pace for this long. */
export const ACTIVE_MS = 60_000
/** Blocks that come faster wake no poll while the chain is quiet. */
export const FAST_BLOCK_MS = 1_000
/** Nodes that announced a block within this time, or within three blocks, will announce the next one. */
export const MIN_ANNOUNCED_MS = 30_000
/** An idle chain records its newest block only this often. */
export const IDLE_RECORD_MS = 60_000
/** Single providers say for at most this long whether there is a new block. Then a quorum is read. */
export const QUORUM_MS = 30_000
/** While the newest block stays the same, the lease of the chain is renewed only this often. */
export const WATCH_LEASE_RENEWAL_MS = 2_000
export const WATCH_LIST_MS = 5_000
/** The mempool is not read for this long after a failure. */
export const MEMPOOL_BACKOFF_MS = 60_000
/** A poll waits for the mempool within these bounds: the lower one is for awaited polls, whose facts must be fresh at the end. */
export const MIN_MEMPOOL_WAIT_MS = 1_000
export const MAX_MEMPOOL_WAIT_MS = 10_000
/** The time that one backfill step covers on a fast chain. */
export const CATCH_UP_STEP_MS = 600_000n
/** A reorg of blocks that were final is followed after this time, if the finality tag does not cover the new branch. */
export const FALSE_FINALITY_MS = 60_000
/**
 * If the tag covers the new branch, it contradicts itself, and an operator gets this time to intervene. A halt without end would cost more.
 */
export const CONTRADICTED_FINALITY_MS = 600_000
/** A poll is published this often. Other processes accept one that is not much older. */
export const PUBLISH_MS = 500
/** Clocks are read in fractions of a millisecond. */
export const CLOCK_ERROR_MS = 1
/** A chain without an answer for this long is unhealthy. The time is the interval of an idle chain, and 15 s for its next poll. */
export const CHAIN_SILENCE_MS = 25_000

// The loops of the engine.

/** Upper bound of the cooldown after a run: a swap passes about four loops, so this adds at most 0.6 s. */
export const MAX_COOLDOWN_MS = 150
export const RECONCILE_MS = 1_000
/** The minimum time between the starts of two passes: under load, one pass serves all that happened meanwhile. */
export const RECONCILE_COOLDOWN_MS = 30
/**
 * A pass reads the orders that are due by any chain this often. It is below `RECONCILE_MS`, so that each pass which nothing woke does so.
 */
export const RECONCILE_ALL_CHAINS_MS = 500
/** The interval of reconciler and dispatcher while no order is open. It is below the duration of leases. */
export const IDLE_LOOP_MS = 2_000
/** Newly wanted actions and short delays wake the dispatcher. Other work, e.g. that of a dead process, waits for this. */
export const DISPATCH_MS = 400
/** The dispatcher's interval while no action runs and no other engine could die. */
export const DISPATCH_ALONE_MS = 1_000
/** An engine that watches no chain takes an action only after the engines that watch have left it for this long. */
export const STANDBY_DISPATCH_MS = 750
/** The interval between two pages of the sweep: 100,000 open orders in pages of 1000 take ten minutes. */
export const SWEEP_PAGE_MS = 6_000
/** A round of the sweep takes at least this long, even if few orders are open. */
export const SWEEP_ROUND_MS = 60_000
/** The interval after a failure of the first page. Later failures keep the last interval. */
export const SWEEP_RETRY_MS = 1_000
export const EXPIRE_LIST_MS = 5_000
export const REPAIR_LIST_MS = 60_000
/** An engine starts without chains that do not answer within this time. */
export const READY_TIMEOUT_MS = 10_000
export const READY_POLL_MS = 20
/** A process without an engine polls the database instead of its own memory. */
export const LINK_READY_POLL_MS = 50

// Overload.

/** Work comes and goes within milliseconds: without a memory, a check between two passes would find no wait. */
export const WAIT_MEMORY_MS = 2_000
/** Up to this wait every new order is admitted. */
export const ADMIT_ALL_MS = 1_000
/** From this wait on no order is admitted: an order in progress must be paid within seconds. */
export const ADMIT_NONE_MS = 3_000

// Leases.

export const LEASE_SECONDS = 4
/** Three renewals may fail before a lease is lost. */
export const LEASE_RENEWAL_MS = 1_000
/** While the result of an action cannot be recorded, the backoff doubles from the first to the last. */
export const MIN_FINISH_RETRY_MS = 50
export const MAX_FINISH_RETRY_MS = 500

// Actions and their facts.

/** An action takes no longer. Requests to a node time out much sooner, and a use of a key after a minute. */
export const MAX_ACTION_MS = 120_000
/** A sent action is checked again after three polls of its chain, and not sooner than this. */
export const MIN_RECHECK_MS = 1_000
/** The backoff of a failed action doubles from the first to the last. */
export const MIN_ACTION_BACKOFF_MS = 500
export const MAX_ACTION_BACKOFF_MS = 30_000
/** A redeem that waits for a batch is checked this often: it may become urgent. */
export const MAX_BATCH_WAIT_MS = 15_000
/** No transaction stays unmined this long: nodes drop it, and we replace or cancel it long before. */
export const MAX_UNMINED_SECONDS = 2n * 86_400n
/** An action accepts a poll that began this long ago, and else awaits the next one. This leaves time to prepare a signature. */
export const ACCEPTED_POLL_MS = 1_000
/** A poll of another process may be this old. That process polls at its own pace, so its polls may be further apart. */
export const ACCEPTED_PUBLISHED_POLL_MS = 1_500
/** The upper bound of both with slow nodes. */
export const MAX_ACCEPTED_POLL_MS = 10_000
/** Facts may be signed on for this long: the first if the nodes answer at once, the second at most. */
export const MIN_FACTS_AGE_MS = 2_000
export const MAX_FACTS_AGE_MS = 30_000
/** Orders on a chain that is not served are derived again after this time, because the chain may be served by then. */
export const UNSERVED_RECHECK_MS = 60_000
/**
 * An order that changed is derived again after this long without another change. Only then are its ranges stored: most orders change again
 * sooner, and storing ranges costs more than deriving. Until then the order is derived when a deposit or a spend has enough confirmations.
 * All else that time changes waits this long.
 */
export const SETTLE_SECONDS = 2n
export const FAILED_PAYOUTS_MS = 1_000

// Withdrawals.

/** An operator waits for a withdrawal, and nobody else does. */
export const WITHDRAWALS_MS = 2_000

// Keys.

/** A hold ends after this time, or after 50 signatures, so that other processes get the key. */
export const MAX_KEY_HOLD_MS = 250
/** A use that takes longer fails, so that it cannot block its signer for ever. All requests to nodes time out much sooner. */
export const MAX_KEY_USE_MS = 60_000
/** A signed attempt waits at most this long for others that are still signing. */
export const MAX_RECORD_WAIT_MS = 50
/** The window of `SigningLimit`. */
export const SIGNING_WINDOW_SECONDS = 60

// Evidence and rollbacks.

/** The differences of one order are logged at most this often. */
export const REPEAT_DIFFERENCE_MS = 60_000
export const ROLLBACK_CHECK_MS = 15_000
/** A lagging replica may become the database at any time, so an older comparison is repeated before a signature. */
export const ROLLBACK_COMPARED_MS = 1_000
export const RELEASE_LOG_SYNC_MS = 1_000
/** An older lock of the release log is that of a dead process. */
export const STALE_LOCK_MS = 60_000
