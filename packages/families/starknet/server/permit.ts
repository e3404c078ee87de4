/**
 * What our keys may sign on Starknet: transactions of the key's own account, on this chain, below the highest fee, that make exactly the calls of the purpose
 * (`permitted-calls.ts`). Only our own initiation takes the account's money, by exactly the terms; gas for a recipient is exactly what the order says.
 */
import { type PermitSigning, SigningRefused, type SigningRequest } from '@tandem/keys/permit.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { type Felt, isFelt } from '../contract/client/felt.ts'
import { feltOf } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import { type Contracts, chainIdOf, refundDigestOf } from '../terms/htlc.ts'
import { accountOf } from './account.ts'
import { ownDeployment } from './deploy/contents.ts'
import { feeRateOf, highestFee } from './fees/fees.ts'
import { maxFeeOf } from './fees/gas.ts'
import type { NodeCall } from './nodes/node.ts'
import { permittedCalls } from './permitted-calls.ts'
import { executeCalldata, isSameCall, readCalls } from './send/transaction.ts'
import { type AccountDeployment, deployAccountHash, type Envelope } from './send/transaction-hash.ts'
import { questionOf, type StarknetOperations } from './signing.ts'

type ArgsOf<K extends keyof StarknetOperations> = StarknetOperations[K] extends (signer: never, ...args: infer Args) => unknown
  ? Args
  : never
type Request = Pick<SigningRequest, 'key' | 'purpose'>

export function createPermit(chain: Chain, contracts: Contracts): PermitSigning {
  const { accountClass } = starknetDataOf(chain)
  const ownAccount = ({ key }: Request): Felt => feltOf(accountOf(key, accountClass))

  function assertOwn(request: Request, envelope: Envelope): void {
    const reason = whyNotEnvelope(chain, ownAccount(request), envelope)
    if (reason !== null) throw new SigningRefused(request.purpose, reason)
  }

  /** An instant refund is of one order, and its consent is the redeemer's. */
  function consentedTerms(request: Request): HtlcTerms {
    const { purpose } = request
    const [action, ...others] = purpose.kind === 'order' ? purpose.actions : []
    if (action?.verb !== 'instant-refund' || others.length > 0) throw new SigningRefused(purpose, 'only one instant refund has a consent')
    if (feltOf(action.terms.redeemer) !== ownAccount(request)) throw new SigningRefused(purpose, 'only the redeemer consents to a refund')
    return action.terms
  }

  const rules: { readonly [K in keyof StarknetOperations]: (request: Request, ...args: ArgsOf<K>) => void } = {
    invoke(request, envelope, calldata) {
      assertOwn(request, envelope)
      const { purpose } = request
      const calls = readExactly(calldata)
      if (calls === null) throw new SigningRefused(purpose, 'its calldata is not that of an account')
      const permitted = permittedCalls(chain, contracts, purpose, { account: ownAccount(request), calls })
      if (!permitted.some((one) => isSameCall({ calls: one }, { calls })))
        throw new SigningRefused(purpose, `it would make other calls than its terms take: ${describe(calls)}`)
    },
    deployAccount(request, envelope, deployment) {
      assertOwn(request, envelope)
      const { key, purpose } = request
      if (purpose.kind !== 'deploy') throw new SigningRefused(purpose, 'it would deploy an account')
      if (!isSameDeployment(envelope, deployment, ownDeployment(key, accountClass)))
        throw new SigningRefused(purpose, 'it would deploy another account than that of the key')
    },
    refundConsent(request, contract, terms) {
      const expected = consentedTerms(request)
      if (refundDigestOf(contract, terms) !== refundDigestOf(contracts.of(expected.asset), expected))
        throw new SigningRefused(request.purpose, 'it would be a consent to the refund of another order')
    },
    question(request, account) {
      if (questionOf(account) !== questionOf(consentedTerms(request).redeemer))
        throw new SigningRefused(request.purpose, `it would be a question to another account: ${account}`)
    },
  }
  return ({ key, purpose, operation, args }) => {
    if (purpose.chain !== chain.id) throw new SigningRefused(purpose, `this key signs on ${chain.id} here`)
    if (!isOperation(rules, operation)) throw new SigningRefused(purpose, `there is no rule for the operation "${operation}"`)
    Reflect.apply(rules[operation], undefined, [{ key, purpose }, ...args])
  }
}

const RESOURCES = ['l1Gas', 'l1DataGas', 'l2Gas'] as const

/** The hash has nothing but these fields: modes of data availability and paymasters are constants of it. */
function whyNotEnvelope(chain: Chain, account: Felt, envelope: Envelope): string | null {
  if (!isEnvelope(envelope)) return 'its envelope has another form'
  const { chainId, sender, gas, fees } = envelope
  if (chainId !== chainIdOf(chain)) return `the transaction is for the chain id ${chainId}`
  if (sender !== account) return `its sender is ${sender}, and the account of the key is ${account}`
  const { maxPerGas } = starknetDataOf(chain)
  const prices = { ...fees.prices, l2Gas: feeRateOf(fees) }
  const dear = RESOURCES.find((resource) => prices[resource] > maxPerGas[resource])
  if (dear !== undefined) return `it offers ${prices[dear]} for one unit of ${dear}, and may offer ${maxPerGas[dear]}`
  const fee = highestFee(gas, fees)
  return fee > maxFeeOf(chain) ? `it may cost ${fee}, and no transaction of ours costs more than ${maxFeeOf(chain)}` : null
}

/** Numbers below zero would be other bounds in the hash. */
function isEnvelope(envelope: Envelope): boolean {
  if (!hasFields(envelope, ['chainId', 'sender', 'nonce', 'gas', 'fees']) || !hasFields(envelope.fees, ['prices', 'tip'])) return false
  const { nonce, gas, fees } = envelope
  if (!hasFields(gas, RESOURCES) || !hasFields(fees.prices, RESOURCES)) return false
  const numbers: readonly unknown[] = [nonce, fees.tip, ...RESOURCES.flatMap((resource) => [gas[resource], fees.prices[resource]])]
  return numbers.every((value) => typeof value === 'bigint' && value >= 0n)
}

function hasFields(value: object, fields: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).sort().join() === [...fields].sort().join()
}

/** The account reads no other calls from the calldata. Null means that it is not made of felts, or that something is missing or left over. */
function readExactly(calldata: readonly Felt[]): readonly NodeCall[] | null {
  if (!Array.isArray(calldata) || !calldata.every(isFelt)) return null
  const calls = readCalls(calldata)
  return calls !== null && executeCalldata({ calls }).join() === calldata.join() ? calls : null
}

function isSameDeployment(envelope: Envelope, deployment: AccountDeployment, own: AccountDeployment): boolean {
  return deployAccountHash(envelope, deployment) === deployAccountHash(envelope, own)
}

function describe(calls: readonly NodeCall[]): string {
  return calls.map(({ to, selector }) => `${selector} of ${to}`).join(', ')
}

function isOperation<R extends object>(rules: R, name: string): name is keyof R & string {
  return Object.hasOwn(rules, name)
}
