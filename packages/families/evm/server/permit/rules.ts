/** What the permits of all families with our Solidity HTLC have in common: which chain, which operation, which form of a transaction, which consent. */
import { type PermitSigning, SigningRefused, type SigningRequest } from '@tandem/keys/permit.ts'
import type { OrderPurpose, Purpose } from '@tandem/keys/purpose.ts'
import { max } from '@tandem/protocol/bigint.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Address, TransactionSerializable } from 'viem'
import { accountOf } from '../../terms/address.ts'
import { type Contracts, chainIdOf, type HtlcContract, refundDigest } from '../../terms/htlc.ts'
import { readHtlcCall } from '../../terms/read-call.ts'
import { feeModelOf } from '../fees/fees.ts'
import { highestFee } from '../fees/highest-fee.ts'
import type { SignedCall } from './htlc-call.ts'

export type Request = Pick<SigningRequest, 'key' | 'purpose'>

type ArgsOf<F> = F extends (signer: never, ...args: infer Args) => unknown ? Args : never

/** Each rule gets the arguments of the operation of its name, and throws unless that may be signed. */
export type RulesOf<O> = { readonly [K in keyof O]: (request: Request, ...args: ArgsOf<O[K]>) => void }

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

/** Batches of ours are no larger. */
const MAX_BATCH = 50

/** There is no rule for any other operation, so it is refused. */
export function permitBy(chain: Chain, rules: Readonly<Record<string, (request: Request, ...args: never[]) => void>>): PermitSigning {
  return ({ key, purpose, operation, args }) => {
    if (purpose.chain !== chain.id) throw new SigningRefused(purpose, `this key signs on ${chain.id} here`)
    const rule = Object.hasOwn(rules, operation) ? rules[operation] : undefined
    if (rule === undefined) throw new SigningRefused(purpose, `there is no rule for the operation "${operation}"`)
    Reflect.apply(rule, undefined, [{ key, purpose }, ...args])
  }
}

/** `whyNot` judges the call of the transaction, by our account. Null means that it serves the purpose. */
export function transactionRule(chain: Chain, whyNot: (account: Address, purpose: Purpose, call: SignedCall) => string | null) {
  return ({ key, purpose }: Request, unsigned: TransactionSerializable): void => {
    const account = accountOf(key)
    const reason = whyNotForm(chain, unsigned) ?? whyNotFee(chain, account, purpose, unsigned) ?? whyNot(account, purpose, callOf(unsigned))
    if (reason !== null) throw new SigningRefused(purpose, reason)
  }
}

/** `evmTerms` are the terms as the contract knows them. */
export function consentRule(contracts: Contracts, evmTerms: (terms: HtlcTerms) => HtlcTerms = (terms) => terms) {
  return ({ purpose }: Request, contract: HtlcContract, terms: HtlcTerms): void => {
    const { actions } = orderPurposeOf(purpose)
    const [{ verb, terms: expected }] = actions
    if (actions.length > 1) throw new SigningRefused(purpose, 'a consent is to the refund of one order')
    const isSame = refundDigest(contract, terms) === refundDigest(contracts.of(expected.asset), evmTerms(expected))
    if (verb !== 'instant-refund' || !isSame) throw new SigningRefused(purpose, 'it would be a consent to the refund of another order')
  }
}

export function orderPurposeOf(purpose: Purpose): OrderPurpose {
  if (purpose.kind !== 'order') throw new SigningRefused(purpose, 'only orders have such signatures')
  return purpose
}

function whyNotForm(chain: Chain, unsigned: TransactionSerializable): string | null {
  if (unsigned.chainId !== chainIdOf(chain)) return `the transaction is for the chain id ${unsigned.chainId}`
  if (unsigned.type !== 'eip1559' && unsigned.type !== 'legacy') return `the transaction has the type ${unsigned.type}`
  const extra = Object.keys(unsigned).find((field) => !TRANSACTION_FIELDS.has(field))
  return extra === undefined ? null : `the transaction has the type ${unsigned.type} and a field "${extra}"`
}

/** A field of another type could compare as less than it is worth. */
function whyNotFee(chain: Chain, account: Address, purpose: Purpose, unsigned: TransactionSerializable): string | null {
  const { gas = 0n, gasPrice = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, value = 0n } = unsigned
  if ([gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, value].some((amount) => typeof amount !== 'bigint'))
    return 'an amount of the transaction is no bigint'
  const perGas = [gasPrice, maxFeePerGas, maxPriorityFeePerGas].reduce(max)
  const { maxPerGas } = feeModelOf(chain)
  if (perGas > maxPerGas) return `it would offer ${perGas} for one gas, and may offer ${maxPerGas}`
  const most = highestFee(chain, purpose.kind === 'order' ? Math.max(purpose.actions.length, batchedIn(account, unsigned)) : 1)
  return gas * perGas > most ? `its fee could be ${gas * perGas}, and may be ${most}` : null
}

/** A fee bump of a batch keeps its gas, although its purpose names only the orders that are not settled yet. */
function batchedIn(account: Address, unsigned: TransactionSerializable): number {
  const read = readHtlcCall(callOf(unsigned).data, account)
  return Math.min(read?.orders.length ?? 0, MAX_BATCH)
}

function callOf({ to, data, value }: TransactionSerializable): SignedCall {
  return { to: (to?.toLowerCase() ?? null) as Address | null, data: data ?? '0x', value: value ?? 0n }
}
