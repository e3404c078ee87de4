/**
 * What our keys may sign on Sui: one call of the HTLC that does what the purpose says, or the transfer that the operator asked for. The transaction is rebuilt
 * from the purpose, and must have the same bytes. It is paid by our own coins, up to a cap; what is left of them stays ours.
 */
import { type PermitSigning, SigningRefused, type SigningRequest } from '@tandem/keys/permit.ts'
import type { OrderAction, Purpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { isSecretFor } from '@tandem/protocol/secret.ts'
import { functionNames, viewNames } from '../contract/client/calls.ts'
import { isPublication, publishedPackage } from '../contract/client/package.ts'
import { type Address, accountOf, parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { type Contracts, coinTypeOf, swapIdOf } from '../terms/htlc.ts'
import {
  initiateCallOf,
  instantRefundCallOf,
  redeemCallOf,
  refundCallOf,
  type SuiCall,
  transactionWith,
  transferCallOf,
} from '../terms/send/call.ts'
import { bytesOf } from '../terms/send/transaction.ts'
import type { Deployed } from './deployments.ts'
import { MAX_BUDGET, MAX_PRICE, SPLIT_BUDGET } from './fees/gas.ts'
import { type GivenTransaction, readTransaction } from './read-transaction.ts'
import { LANES } from './send/coins.ts'
import { addLanes } from './send/lane.ts'
import type { SuiOperations } from './signing.ts'

type ArgsOf<K extends keyof SuiOperations> = SuiOperations[K] extends (signer: never, ...args: infer Args) => unknown ? Args : never
type Request = Pick<SigningRequest, 'key' | 'purpose'>

const SECRET_BYTES = 32
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64

export function createPermit(chain: Chain, contracts: Contracts): PermitSigning {
  const rules: { readonly [K in keyof SuiOperations]: (request: Request, ...args: ArgsOf<K>) => void } = {
    transaction({ key, purpose }, bytes, publication) {
      const given = readTransaction(bytes)
      if (given === null) throw new SigningRefused(purpose, 'it is no transaction with commands, or never expires')
      const account = accountOf(key)
      const call = callFor(chain, contracts, account, purpose, given, publication)
      if (typeof call === 'string') throw new SigningRefused(purpose, call)
      const reason = whyNot(account, call, given)
      if (reason !== null) throw new SigningRefused(purpose, reason)
    },
    refundConsent({ purpose }, contract, terms) {
      const action = onlyAction(purpose)
      if (action?.verb !== 'instant-refund') throw new SigningRefused(purpose, 'it would be a consent to the refund of an order')
      if (swapIdOf(contract, terms) !== swapIdOf(contracts.of(action.terms.asset), action.terms))
        throw new SigningRefused(purpose, 'it would be a consent to the refund of another order')
    },
  }
  return ({ key, purpose, operation, args }) => {
    if (purpose.chain !== chain.id) throw new SigningRefused(purpose, `this key signs on ${chain.id} here`)
    if (!isOperation(rules, operation)) throw new SigningRefused(purpose, `there is no rule for the operation "${operation}"`)
    Reflect.apply(rules[operation], undefined, [{ key, purpose }, ...args])
  }
}

/** A text says why there is none. */
function callFor(
  chain: Chain,
  contracts: Contracts,
  account: Address,
  purpose: Purpose,
  given: GivenTransaction,
  publication: Uint8Array | null,
): SuiCall | string {
  if (purpose.kind === 'withdraw')
    return transferCallOf(coinTypeOf(chain, contracts, purpose.asset), parseAddress(purpose.recipient), purpose.amount)
  const action = onlyAction(purpose)
  if (action === null) return 'a transaction serves one order, or a withdrawal'
  if (publication === null || !isOurs(publication)) return 'it does not show that the package which it calls is ours'
  const contract = contracts.of(action.terms.asset)
  const initialSharedVersion = given.sharedVersion(contract.registry)
  if (initialSharedVersion === null) return `it does not call the HTLC of ${contract.asset}`
  // Nobody can change this package. The chain refuses a call with a registry that is of another.
  const packageId = parseAddress(publishedPackage(publication))
  return callOfOrder({ ...contract, packageId, initialSharedVersion }, account, action, given)
}

function callOfOrder(deployed: Deployed, account: Address, { verb, terms, gas }: OrderAction, given: GivenTransaction): SuiCall | string {
  switch (verb) {
    case 'initiate':
      return initiation(deployed, account, terms, given)
    case 'redeem':
      return redeem(deployed, terms, gas ?? 0n, given)
    case 'refund':
      return refundCallOf(deployed, terms)
    case 'instant-refund':
      return instantRefund(deployed, terms, given)
    default:
      return `nothing on this chain is signed for "${verb}"`
  }
}

/** Any deadline will do: it can only keep the whole transaction from being executed. */
function initiation(deployed: Deployed, account: Address, terms: HtlcTerms, given: GivenTransaction): SuiCall | string {
  if (parseAddress(terms.initiator) !== account) return `it would lock our money for ${terms.initiator}`
  const deadlineMs = given.number(viewNames.assertBefore, 1)
  return deadlineMs === null ? 'it has no deadline' : initiateCallOf(deployed, terms, deadlineMs)
}

function redeem(deployed: Deployed, terms: HtlcTerms, most: bigint, given: GivenTransaction): SuiCall | string {
  const secret = given.bytes(functionNames.redeem, 2, SECRET_BYTES)?.toString('hex') ?? null
  if (secret === null || !isSecretFor(secret, terms.secretHash.toLowerCase())) return 'it does not show the secret of the order'
  const gas = given.firstSplit ?? undefined
  if (gas !== undefined && gas > most) return `it would give ${gas} MIST, and may give ${most}`
  return redeemCallOf(deployed, terms, secret, gas)
}

/** The module checks the redeemer's signature. */
function instantRefund(deployed: Deployed, terms: HtlcTerms, given: GivenTransaction): SuiCall | string {
  const publicKey = given.bytes(functionNames.instantRefundWithSignature, 2, KEY_BYTES)
  const signature = given.bytes(functionNames.instantRefundWithSignature, 3, SIGNATURE_BYTES)
  return publicKey === null || signature === null ? 'it has no consent' : instantRefundCallOf(deployed, terms, { publicKey, signature })
}

/** Coins are free: the chain lets us spend our own only. Lanes are coins for ourselves. */
function whyNot(account: Address, call: SuiCall, { data, frame, coins, commands, lastSplits }: GivenTransaction): string | null {
  const isPaidByCoin = call.spends !== null && call.spends.coinType !== SUI_TYPE
  if (frame.payment.length === 0 || (isPaidByCoin && coins.length === 0)) return 'it names no coin of ours'
  const rebuilt = transactionWith(call, coins)
  const lanes = commands > rebuilt.getData().commands.length ? lastSplits : 0
  const budget = MAX_BUDGET + BigInt(lanes) * SPLIT_BUDGET
  if (lanes > LANES || frame.price > MAX_PRICE || frame.budget > budget)
    return `it may cost ${frame.budget} MIST at ${frame.price} for a unit, and add ${lanes} coins`
  addLanes(rebuilt, lanes, account)
  if (Buffer.from(bytesOf(rebuilt, { ...frame, sender: account })).equals(data)) return null
  return `it does something else than to ${call.verb} as the purpose says`
}

/** What cannot be parsed publishes nothing. */
function isOurs(publication: Uint8Array): boolean {
  try {
    return isPublication(publication)
  } catch {
    return false
  }
}

function onlyAction(purpose: Purpose): OrderAction | null {
  if (purpose.kind !== 'order' || purpose.actions.length > 1) return null
  return purpose.actions[0]
}

function isOperation<R extends object>(rules: R, name: string): name is keyof R & string {
  return Object.hasOwn(rules, name)
}
