/** Adds the calls of the HTLC to a transaction, and the coins that they spend. */
import { Transaction, type TransactionObjectArgument } from '@mysten/sui/transactions'
import type { HtlcTerms, HtlcVerb } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import { assertBeforeCall, initiateCall, instantRefundWithSignatureCall, redeemCall, refundCall } from '../../contract/client/calls.ts'
import type { Deployed } from '../../server/deployments.ts'
import type { ObjectRef } from '../../server/nodes/node.ts'
import { type CoinType, SUI_TYPE } from '../coin-type.ts'
import { orderTermsOf, swapIdOf } from '../htlc.ts'
import { ownedInput } from './transaction.ts'

export type SuiCall = {
  readonly verb: HtlcVerb | 'transfer'
  /** The sender spends this beside the gas; null means nothing. */
  readonly spends: { readonly coinType: CoinType; readonly amount: bigint } | null
  /** From this time of the chain's clock on, the call can only fail. Null means that it never expires. */
  readonly deadlineMs: bigint | null
  /** The transaction that published the package of the call: our keys sign for no other. It is absent where no package of ours is called, or others sign. */
  readonly publication?: Uint8Array
  /** `coin` is worth what the call spends, or null if it spends nothing. */
  readonly add: (tx: Transaction, coin: TransactionObjectArgument | null) => void
}

/** Transactions expire with an epoch, which lasts a day. The deadline is a call of its own: after it, the whole transaction fails. */
export function initiateCallOf(deployed: Deployed, terms: HtlcTerms, deadlineMs: bigint): SuiCall {
  return {
    verb: 'initiate',
    spends: { coinType: deployed.coinType, amount: terms.amount },
    deadlineMs,
    add(tx, coin) {
      if (coin === null) throw new Error('an initiation needs a coin')
      assertBeforeCall(tx, deployed.packageId, deadlineMs)
      initiateCall(tx, deployed, orderTermsOf(terms), coin)
    },
  }
}

/** The redeemer also gets this much SUI as gas, from the gas coin of the sender. The transaction fails as a whole if there is nothing to redeem. */
export function redeemCallOf(deployed: Deployed, terms: HtlcTerms, secret: Hex32, gas?: bigint): SuiCall {
  const order = swapIdOf(deployed, terms)
  return {
    verb: 'redeem',
    spends: gas === undefined ? null : { coinType: SUI_TYPE, amount: gas },
    deadlineMs: null,
    add(tx, coin) {
      redeemCall(tx, deployed, order, secret)
      if (coin !== null) tx.transferObjects([coin], terms.redeemer)
    },
  }
}

export function refundCallOf(deployed: Deployed, terms: HtlcTerms): SuiCall {
  const order = swapIdOf(deployed, terms)
  return { verb: 'refund', spends: null, deadlineMs: null, add: (tx) => void refundCall(tx, deployed, order) }
}

export function transferCallOf(coinType: CoinType, recipient: string, amount: bigint): SuiCall {
  return {
    verb: 'transfer',
    spends: { coinType, amount },
    deadlineMs: null,
    add(tx, coin) {
      if (coin === null) throw new Error('a transfer needs a coin')
      tx.transferObjects([coin], recipient)
    },
  }
}

/** The redeemer signed: see `instantRefundDigest`. */
export type Consent = { readonly publicKey: Uint8Array; readonly signature: Uint8Array }

export function instantRefundCallOf(deployed: Deployed, terms: HtlcTerms, { publicKey, signature }: Consent): SuiCall {
  const order = swapIdOf(deployed, terms)
  const add = (tx: Transaction) => void instantRefundWithSignatureCall(tx, deployed, order, publicKey, signature)
  return { verb: 'refund', spends: null, deadlineMs: null, add }
}

export function transactionWith({ spends, add }: SuiCall, coins: readonly ObjectRef[]): Transaction {
  const tx = new Transaction()
  add(tx, spends === null ? null : takeCoin(tx, spends, coins))
  return tx
}

function takeCoin(tx: Transaction, { coinType, amount }: NonNullable<SuiCall['spends']>, coins: readonly ObjectRef[]) {
  const from = coinType === SUI_TYPE ? tx.gas : mergeCoins(tx, coinType, coins)
  const [coin] = tx.splitCoins(from, [tx.pure.u64(amount)])
  if (coin === undefined) throw new Error('splitting a coin gave none')
  return coin
}

/** Without a coin of this type an empty one is used, and the transaction fails on the chain. */
function mergeCoins(tx: Transaction, coinType: CoinType, coins: readonly ObjectRef[]): TransactionObjectArgument {
  const [first, ...others] = coins.map((coin) => ownedInput(tx, coin))
  if (first === undefined) return tx.moveCall({ target: '0x2::coin::zero', typeArguments: [coinType] })
  if (others.length > 0) tx.mergeCoins(first, others)
  return first
}
