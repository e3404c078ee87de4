/**
 * What our keys may sign on EVM chains: what the purpose says, about its orders, and nothing that costs the account more than fees. Only our own initiation
 * takes the account's money, by exactly the terms; gas for a recipient takes what the order says.
 */
import { type PermitSigning, SigningRefused, type SigningRequest } from '@tandem/keys/permit.ts'
import type { ClaimPurpose, OrderAction, OrderPurpose, Purpose, SignedVerb, WithdrawPurpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Address, Hex, TransactionSerializable } from 'viem'
import { accountOf, parseAddress } from '../terms/address.ts'
import { isApprovalOf } from '../terms/approval-call.ts'
import { type Contracts, chainIdOf, type HtlcContract, swapIdOf } from '../terms/htlc.ts'
import { type CalledOrder, readHtlcCall } from '../terms/read-call.ts'
import { tokenOf, transferCall } from '../terms/transfer-call.ts'
import { claimedToken, distributorOf } from './distributor-address.ts'
import type { EvmOperations } from './signing.ts'

type ArgsOf<K extends keyof EvmOperations> = EvmOperations[K] extends (signer: never, ...args: infer Args) => unknown ? Args : never
type Request = Pick<SigningRequest, 'key' | 'purpose'>

/**
 * What an account of ours may call for an action. No other function takes part in our swaps. A fee bump signs the recorded call again, which may be of an
 * instant refund when the timelock has ended meanwhile, and the other way round.
 */
const FUNCTIONS: Readonly<Partial<Record<SignedVerb, readonly string[]>>> = {
  initiate: ['initiate', 'initiateOnBehalf'],
  relay: ['initiateWithSignature', 'initiateByAuthorization', 'initiateByPermit', 'initiateBySignatureTransfer', 'initiateDeposit'],
  redeem: ['redeem', 'redeemOfferingCoinForGas', 'redeemBatch'],
  refund: ['refund', 'instantRefund'],
  'instant-refund': ['instantRefund', 'refund'],
  reclaim: ['reclaimDeposited'],
}

/** Others would cost more, or delegate an account. */
const TRANSACTION_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'chainId',
  'nonce',
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'to',
  'data',
  'value',
])

export function createPermit(chain: Chain, contracts: Contracts): PermitSigning {
  const rules: { readonly [K in keyof EvmOperations]: (request: Request, ...args: ArgsOf<K>) => void } = {
    transaction({ key, purpose }, unsigned) {
      if (unsigned.chainId !== chainIdOf(chain))
        throw new SigningRefused(purpose, `the transaction is for the chain id ${unsigned.chainId}`)
      const extra = Object.keys(unsigned).find((field) => !TRANSACTION_FIELDS.has(field))
      if (extra !== undefined || (unsigned.type !== 'eip1559' && unsigned.type !== 'legacy'))
        throw new SigningRefused(
          purpose,
          `the transaction has the type ${unsigned.type}${extra === undefined ? '' : ` and a field "${extra}"`}`,
        )
      const [account, call] = [accountOf(key), callOf(unsigned)]
      const reason =
        purpose.kind === 'withdraw'
          ? whyNotTransfer(chain, contracts, account, purpose, call)
          : whyNot(contracts, account, orderPurposeOf(purpose), call)
      if (reason !== null) throw new SigningRefused(purpose, reason)
    },
    refundConsent({ purpose }, contract, terms) {
      const { verb, terms: expected } = onlyAction(orderPurposeOf(purpose))
      const isSame = swapIdOf(contract, terms) === swapIdOf(contracts.of(expected.asset), expected)
      if (verb !== 'instant-refund' || !isSame) throw new SigningRefused(purpose, 'it would be a consent to the refund of another order')
    },
    claim({ key, purpose }, { chainId, verifyingContract }, { recipient, asset, total }, token) {
      const claim = claimPurposeOf(purpose)
      if (chainId !== chainIdOf(chain) || verifyingContract !== distributorOf(accountOf(key)))
        throw new SigningRefused(purpose, `it would be a claim at another distributor: ${verifyingContract} on the chain id ${chainId}`)
      const isSame = recipient === claim.recipient && asset === claim.asset && total === claim.total
      if (!isSame || token !== claimedToken(contracts, claim.asset))
        throw new SigningRefused(purpose, `it would let ${recipient} claim ${total} of ${asset} as ${token}`)
    },
  }
  return ({ key, purpose, operation, args }) => {
    if (purpose.chain !== chain.id) throw new SigningRefused(purpose, `this key signs on ${chain.id} here`)
    if (!isOperation(rules, operation)) throw new SigningRefused(purpose, `there is no rule for the operation "${operation}"`)
    Reflect.apply(rules[operation], undefined, [{ key, purpose }, ...args])
  }
}

type Call = { readonly to: Address | null; readonly data: Hex; readonly value: bigint }

function callOf({ to, data, value }: TransactionSerializable): Call {
  return { to: (to?.toLowerCase() ?? null) as Address | null, data: data ?? '0x', value: value ?? 0n }
}

function whyNot(contracts: Contracts, account: Address, { actions }: OrderPurpose, call: Call): string | null {
  const [{ verb, terms }] = actions
  if (isNoop(call, account)) return null
  const contract = contracts.of(terms.asset)
  if (contract.token !== null && call.to === contract.token) return whyNotToken(contract, verb, call)
  if (call.to !== contract.address) return `it would call ${call.to}, which is neither the HTLC of ${terms.asset} nor its token`
  const read = readHtlcCall(call.data, account)
  if (read === null) return 'its calldata is not that of a call of the HTLC'
  if (FUNCTIONS[verb]?.includes(read.name) !== true) return `it would call "${read.name}" of the HTLC`
  const known = new Set(
    actions.filter((action) => action.verb === verb).map((action) => swapIdOf(contracts.of(action.terms.asset), action.terms)),
  )
  const isKnown = (order: CalledOrder) => known.has(swapIdOf(contract, { ...order, asset: terms.asset }))
  // A fee bump of a batch may be for those of its orders that are not settled yet. All have the same redeemer.
  if (!(read.name === 'redeemBatch' ? read.orders.some(isKnown) : read.orders.every(isKnown)))
    return 'it would be about an order that is not named'
  // Its own transaction is the redeemer's consent.
  if (read.name === 'instantRefund' && verb === 'refund' && account === terms.redeemer.toLowerCase())
    return 'it would give up what we are to redeem'
  const most = highestValue(contract, read.name, actions[0])
  return call.value > most ? `it would send ${call.value} wei, and may send ${most}` : null
}

function whyNotTransfer(
  chain: Chain,
  contracts: Contracts,
  account: Address,
  { asset, recipient, amount }: WithdrawPurpose,
  call: Call,
): string | null {
  const expected = transferCall(tokenOf(chain, contracts, asset), parseAddress(recipient), amount)
  const isSame = call.to === expected.to && call.data === expected.data && call.value === expected.value
  return isSame || isNoop(call, account) ? null : 'it is not the transfer that the operator asked for'
}

/** It frees a nonce. */
function isNoop({ to, data, value }: Call, account: Address): boolean {
  return to === account && data === '0x' && value === 0n
}

function whyNotToken({ address }: HtlcContract, verb: SignedVerb, { data, value }: Call): string | null {
  if (verb === 'initiate' && value === 0n && isApprovalOf(data, address)) return null
  return 'it would call the token, and not to approve the HTLC for an initiation'
}

function highestValue({ token }: HtlcContract, name: string, { verb, terms, gas }: OrderAction): bigint {
  if (verb === 'initiate' && token === null) return terms.amount
  return name === 'redeemOfferingCoinForGas' ? (gas ?? 0n) : 0n
}

function orderPurposeOf(purpose: Purpose): OrderPurpose {
  if (purpose.kind !== 'order') throw new SigningRefused(purpose, 'only orders have such signatures')
  return purpose
}

function onlyAction(purpose: OrderPurpose): OrderAction {
  if (purpose.actions.length > 1) throw new SigningRefused(purpose, 'a consent is to the refund of one order')
  return purpose.actions[0]
}

function claimPurposeOf(purpose: Purpose): ClaimPurpose {
  if (purpose.kind !== 'claim') throw new SigningRefused(purpose, 'it would be a claim of an affiliate')
  return purpose
}

function isOperation<R extends object>(rules: R, name: string): name is keyof R & string {
  return Object.hasOwn(rules, name)
}
