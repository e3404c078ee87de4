/** @tandem/sdk: cross-chain atomic swaps in one call, verified before the user pays. */

export type { Balance, RedeemCall } from '@tandem/chain-kit/browser/family.ts'
export { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
export { InsufficientFundsError, type NotPossible, NotPossibleError, RescueInputError } from '@tandem/chain-kit/browser/refusals.ts'
export { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'
export { transactionLink } from '@tandem/protocol/explorer.ts'
export type { CreateOrderResult } from '@tandem/protocol/funding/funding.ts'
export {
  amountsOfOrder,
  amountsOfQuote,
  type Certainty,
  type Exchange,
  exchangeOf,
  type Incoming,
  isAbout,
  type OrderAmounts,
  type QuoteAmounts,
} from '@tandem/protocol/wire/amounts.ts'
export type { CreateOrderRequest, OrderRecord } from '@tandem/protocol/wire/order.ts'
export type { Quote } from '@tandem/protocol/wire/quote.ts'
export { type Client, createClient } from './client/client.ts'
export * from './client/errors.ts'
export type { HttpOptions } from './client/http.ts'
export { AddressError, parseAddress } from './families/parse-address.ts'
export { randomKeys, type SwapKeys } from './keys/keys.ts'
export type { FindOptions, FoundDeposit, TakeOptions } from './rescue/find-deposits.ts'
export type { FindLocksOptions, FoundLock, FoundLocks, SearchedChain } from './rescue/find-locks.ts'
export type { RescueKeys } from './rescue/phrase-keys.ts'
export { newRescueKeys, rescueKeys } from './rescue/rescue-keys.ts'
export type { RestoredSwap, RestoreOptions } from './rescue/restore.ts'
export type { SettleTerms } from './rescue/settle-lock.ts'
export type { TandemOptions } from './swap/context.ts'
export type { AddressOptions, DepositAddress, DepositBalance, DepositSource, LookOptions, ReturnOptions } from './swap/deposit-address.ts'
export { AlreadyPaidError, UnpaidError, UnredeemedError } from './swap/errors.ts'
export type { QuoteRequest, SwapRequest } from './swap/prepare.ts'
export type { RedeemOptions } from './swap/receive.ts'
export { type RefundTime, refundTime } from './swap/refund-time.ts'
export type { SavedSwap } from './swap/saved-swap.ts'
export { memoryStorage, StorageError, type SwapStorage } from './swap/storage.ts'
export type { SwapStep } from './swap/swap-step.ts'
export { createTandem, type Tandem } from './tandem.ts'
export { type AssetFacts, assetFacts } from './verify/asset-facts.ts'
export type { Deployments, PinnedRegistry } from './verify/pinned.ts'
export * from './wallets/index.ts'
