/** The SDK: one object for one app of one service. */

import type { Wallet } from '@tandem/chain-kit/browser/wallet.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import { createClient } from './client/client.ts'
import { appEvents } from './client/event-stream.ts'
import { watchOrder } from './client/watch.ts'
import { randomKeys } from './keys/keys.ts'
import type { FindOptions, FoundDeposit, TakeOptions } from './rescue/find-deposits.ts'
import type { FindLocksOptions, FoundLock } from './rescue/find-locks.ts'
import type { RestoreOptions } from './rescue/restore.ts'
import type { SettleTerms } from './rescue/settle-lock.ts'
import type { SwapContext, TandemOptions } from './swap/context.ts'
import type { AddressOptions, DepositSource, LookOptions, ReturnOptions } from './swap/deposit-address.ts'
import type { QuoteRequest, SwapRequest } from './swap/prepare.ts'
import type { RedeemOptions } from './swap/receive.ts'
import type { RefundOptions } from './swap/refund.ts'
import { type ResumeOptions, type RunOptions, resumeSwap, runSwap } from './swap/run.ts'
import { listSwaps } from './swap/saved-swap.ts'
import { defaultStorage } from './swap/storage.ts'

const loadDeposit = () => import('./swap/deposit-address.ts')
const loadRefund = () => import('./swap/refund.ts')

export type Tandem = ReturnType<typeof createTandem>

export function createTandem(options: TandemOptions) {
  const client = createClient(options)
  const storage = options.storage ?? defaultStorage()
  const context: SwapContext = { client, options, storage, keys: options.keys ?? randomKeys(storage) }
  return {
    /** Every endpoint of the API. */
    client,
    /** The best quote, verified. `swap` asks for one itself. */
    quote: async (request: QuoteRequest, { signal }: RunOptions = {}) =>
      (await import('./swap/prepare.ts')).quoteFor(context, request, signal),
    swap: (request: SwapRequest, wallet: Wallet, given?: RunOptions) => runSwap(context, request, wallet, given),
    /** Continues a swap of this storage after a reload. Without a wallet it pays nothing. */
    resume: (orderId: string, wallet: Wallet | null = null, given?: ResumeOptions) => resumeSwap(context, orderId, wallet, given),
    /** Finds the swaps of a rescue phrase again, in any storage: afterwards `resume`, `refund` and `instantRefund` work as before. */
    restore: async (given?: RestoreOptions) => (await import('./rescue/restore.ts')).restoreSwaps(context, given),
    /** Finds the user's money on chains where their own key takes part, by a phrase and a node alone, without service and storage. */
    findDeposits: async (given?: FindOptions) => (await import('./rescue/find-deposits.ts')).findDeposits(context, given),
    /** Refunds or redeems what `findDeposits` found. */
    takeDeposit: async (deposit: FoundDeposit, to: string, given?: TakeOptions) =>
      (await import('./rescue/find-deposits.ts')).takeDeposit(context, deposit, to, given),
    /** Finds the swaps on chains with accounts by a phrase and nodes alone, and says what can be done about each. */
    findLocks: async (given?: FindLocksOptions) => (await import('./rescue/find-locks.ts')).findLocks(context, given),
    /** Refunds or redeems what `findLocks` found, by a wallet of its chain. */
    settleLock: async (lock: FoundLock, given: SettleTerms & { readonly wallet: Wallet }) =>
      (await import('./rescue/settle-lock.ts')).settleLock(context, lock, given),
    /** The same as a call for anybody to send, on chains with the contract of EVM. */
    lockCall: async (lock: FoundLock, given?: SettleTerms) => (await import('./rescue/settle-lock.ts')).lockCall(context, lock, given),
    /** What was agreed in all swaps of this storage, encrypted by the phrase. With both, `importFile` needs no service. */
    exportFile: async () => (await import('./rescue/rescue-file.ts')).exportFile(context),
    importFile: async (text: string) => (await import('./rescue/rescue-file.ts')).importFile(context, text),
    instantRefund: async (orderId: string, given?: RunOptions) => (await loadRefund()).instantRefund(context, orderId, given),
    /** Where an order is paid by a plain transfer: what its address holds now, by a node. The order is one of this storage, or the package of it. */
    depositAddress: async (of: DepositSource, given?: AddressOptions) => (await loadDeposit()).depositAddress(context, of, given),
    /** What lies there of the order's asset, of another token or of the chain's coin, before `returnDeposit` returns it. */
    depositBalance: async (of: DepositSource, given?: LookOptions) => (await loadDeposit()).depositBalance(context, of, given),
    /** What the user keeps to take the money out of a deposit address anywhere. It has no secret. */
    depositPackage: async (orderId: string, given?: RunOptions) => (await loadDeposit()).depositPackage(context, orderId, given),
    /** Returns what lies at a deposit address to the user, without the service. Anybody's wallet may send it, and pays the fee. */
    returnDeposit: async (of: DepositSource, given: ReturnOptions) => (await loadDeposit()).returnDeposit(context, of, given),
    /** Locks what lies at a deposit address, without the service. */
    initiateDeposit: async (of: DepositSource, given: ReturnOptions) => (await loadDeposit()).initiateDeposit(context, of, given),
    refund: async (orderId: string, given?: RefundOptions) => (await loadRefund()).refund(context, orderId, given),
    /** When the payment can be taken back, as the user's own node shows it. The result is null if nothing is locked. */
    whenRefundable: async (orderId: string, given?: RunOptions) => (await loadRefund()).whenRefundable(context, orderId, given),
    /** Pays the user with their own secret, without the service. `swap` and `resume` do it themselves while the service works. */
    redeem: async (orderId: string, given?: RedeemOptions) => (await import('./swap/receive.ts')).redeem(context, orderId, given),
    /** Raises the fee of an unmined refund or redeem with the user's own key. */
    speedUp: async (orderId: string, given?: RunOptions) => (await loadRefund()).speedUp(context, orderId, given),
    /** Moves what was paid to the user's own keys, as instant refunds are, to an address of the user's. */
    sweep: async (chain: string, to: string, given?: RunOptions) => (await loadRefund()).sweep(context, chain, to, given),
    /** All swaps of this storage, oldest first. */
    swaps: () => listSwaps(context),
    /**
     * The result says whether the user can keep the secret of a swap to this asset, because a node of its chain is known. If not, ask for
     * `secret: 'service'`.
     */
    keepsSecret: async (to: string) => (await import('./swap/prepare.ts')).keepsSecret(context, to),
    /** Yields the events of all orders of the app from `lastEventId` on, for a server. It reconnects by itself. */
    events: (given?: { readonly lastEventId?: string; readonly signal?: AbortSignal }) => appEvents(options, given),
    /**
     * What an address holds of an asset, as a node of its chain shows it, and how much of that can be paid. The result is null where that
     * cannot be read.
     */
    balance: async (asset: string, address: string, { signal }: RunOptions = {}) =>
      (await import('./swap/balance.ts')).balanceOf(context, asset, address, signal),
    /** Watches any order, also one that was made elsewhere. It needs neither wallet nor keys. */
    watch: (orderId: string, { signal }: RunOptions = {}): AsyncGenerator<OrderRecord, void> =>
      watchOrder(client, options, orderId, signal),
  }
}
