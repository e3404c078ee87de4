/** Connects the SDK to Starknet: the user's account calls the HTLC, or signs typed data for the service to send. */

import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { assertFreshTip, depthOf, latestTime } from '@tandem/chain-kit/browser/clock.ts'
import { contractSides } from '@tandem/chain-kit/browser/contract-sides.ts'
import type { Lock, Node, SdkFamily, Settled, SourceSide } from '@tandem/chain-kit/browser/family.ts'
import { assertNoProblem } from '@tandem/chain-kit/browser/node-error.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { initiatedAtCall } from '../contract/client/calls.ts'
import { selectorOf } from '../contract/client/felt.ts'
import { orderMarks } from '../contract/client/order.ts'
import { parseAddress } from '../terms/address.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, type HtlcContract, orderIdOf, redeemCallOf, refundCallOf, swapIdOf } from '../terms/htlc.ts'
import { offerOf, type SignedOffer } from './signature-offer.ts'
import type { StarknetCall, StarknetWallet } from './wallet.ts'

export type StarknetPlan = {
  readonly chainId: string
  readonly payer: string
  /** One transaction has the approval, if it is missing, and the initiation. */
  readonly calls: readonly StarknetCall[]
  /** A signature is not enough for an order that a delegate pays, or for one without an allowance: then this is null. */
  readonly typedData: Readonly<Record<string, unknown>> | null
  /** The user may sign this while there is no allowance. */
  readonly offer: SignedOffer | null
}

const { contractOf, sidesWith } = contractSides({ createContracts, parseAddress, swapIdOf })

export const family: SdkFamily<StarknetPlan, StarknetWallet> = {
  name: 'starknet',
  ...sidesWith(planOf),
  deploymentOf: () => null,
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node),
  async fund({ chainId, payer, calls, typedData, offer }, wallet, { gasless, signal }) {
    signal?.throwIfAborted()
    if (gasless && offer !== null)
      return { kind: 'signed', offer: offer.offer, signature: [...(await wallet.signTypedData(chainId, payer, offer.typedData))] }
    if (gasless && typedData !== null) return { kind: 'signed', signature: [...(await wallet.signTypedData(chainId, payer, typedData))] }
    return { kind: 'sent', tx: await wallet.execute(chainId, payer, calls) }
  },
  readLock: (side, node) => readLock(contractOf(side), side.terms, node),
  settledAs: (side, node) => settledAs(contractOf(side), side.terms, node),
  findLocks: async (...search) => (await import('./find-locks.ts')).findLocks(...search),
  refund(side, { wallet }) {
    const contract = contractOf(side)
    return wallet.execute(contract.chainId, parseAddress(side.terms.initiator), [named(refundCallOf(contract, side.terms))])
  },
  async redeem(side, secret, { wallet }) {
    const contract = contractOf(side)
    return wallet.execute(contract.chainId, await wallet.address(side.chain), [named(redeemCallOf(contract, side.terms, secret))])
  },
}

/**
 * The service has read whether an approval is required. Ours is of the amount only, even if the service proposes an unlimited one. One that is not required is
 * never sent, whatever amount it names.
 */
async function planOf(side: SourceSide, contract: HtlcContract): Promise<StarknetPlan> {
  const { terms, payer, deadline, funding } = side
  const given = funding as Partial<FundingResult<'feltCalls'>>
  const allowed = given.approval_required === false ? approvedIn(given.approval_transaction) : 0n
  const build = (approval: 'exact' | 'unlimited') =>
    fundingOf({ allowance: async () => allowed }, contract, {
      terms,
      deadline,
      payer: payer === null ? null : parseAddress(payer),
      approval,
    })
  const [exact, unlimited] = [await build('exact'), await build('unlimited')]
  const isUnlimited = JSON.stringify(given.approval_transaction?.calldata) === JSON.stringify(unlimited.approval.calldata)
  verifySame('approval_transaction', (isUnlimited ? unlimited : exact).approval, given.approval_transaction)
  verifySame('approval_required', exact.approvalRequired, given.approval_required)
  verifySame('initiate_transaction', exact.initiate, given.initiate_transaction)
  verifySame('typed_data', exact.typedData, given.typed_data)
  return {
    chainId: contract.chainId,
    payer: parseAddress(payer ?? terms.initiator),
    calls: [...(exact.approvalRequired ? [exact.approval] : []), exact.initiate].map(named),
    typedData: payer === null && !exact.approvalRequired ? exact.typedData : null,
    offer: payer === null && exact.approvalRequired ? offerOf(side, contract, given.signature_offers) : null,
  }
}

/** The amount of an approval, which is two felts of 128 bits, the low one first. */
function approvedIn(approval: FeltCall | undefined): bigint {
  const [, low = '', high = '', ...rest] = approval?.calldata ?? []
  const isAmount = rest.length === 0 && [low, high].every((part) => /^0x[0-9a-f]{1,32}$/.test(part))
  verifyThat(isAmount, 'approval_transaction.calldata', 'a contract and an amount', approval?.calldata)
  return BigInt(low) + (BigInt(high) << 128n)
}

/** Wallets want the name of an entry point, and hash it themselves. */
function named({ to, selector, calldata }: FeltCall): StarknetCall {
  const entryPoint = ['approve', 'initiate', 'initiate_on_behalf', 'redeem', 'refund'].find((name) => selectorOf(name) === selector)
  if (entryPoint === undefined) throw new Error(`no entry point has the selector ${selector}`)
  return { to, entryPoint, calldata }
}

type BlockId = 'latest' | { readonly block_number: number }

/** Pre-confirmed blocks are never read: they may still change. */
type Block = { readonly block_number: number; readonly timestamp: number }

/** The id of the order binds chain, contract and every term: a lock with another term is another order. */
async function readLock(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<Lock | null> {
  const blockAt = async (block_id: BlockId) => (await jsonRpc(node, 'starknet_getBlockWithTxHashes', { block_id })) as Block
  // The block is read first: the state is of this one or of a later one, so the depth is never too large.
  const newest = await blockAt('latest')
  const startedAt = await initiatedAt(contract, terms, node)
  // The marks of settled orders are the smallest numbers.
  if (startedAt <= orderMarks.refunded) return null
  const timeAt = async (height: bigint) => BigInt((await blockAt({ block_number: Number(height) })).timestamp)
  return {
    confirmations: await depthOf(startedAt, BigInt(newest.block_number), timeAt),
    unitsLeft: startedAt + terms.timelock - latestTime(BigInt(newest.timestamp)),
  }
}

async function settledAs(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<Settled> {
  const mark = await initiatedAt(contract, terms, node)
  return mark === orderMarks.redeemed ? 'redeemed' : mark === orderMarks.refunded ? 'refunded' : 'none'
}

async function initiatedAt(contract: HtlcContract, terms: HtlcTerms, node: Node): Promise<bigint> {
  const { to, selector, calldata } = initiatedAtCall(contract.address, orderIdOf(contract, terms))
  const request = { contract_address: to, entry_point_selector: selector, calldata }
  const answer = (await jsonRpc(node, 'starknet_call', { request, block_id: 'latest' })) as readonly string[]
  return BigInt(answer[0] ?? 0)
}

async function verifyNode(chain: Chain, { address, chainId }: HtlcContract, node: Node): Promise<void> {
  const served = String(await jsonRpc(node, 'starknet_chainId', {}))
  assertNoProblem(
    BigInt(served) === BigInt(chainId) ? null : `serves the chain with the id ${served}, expected ${chainId} (${chain.reference})`,
  )
  const { timestamp } = (await jsonRpc(node, 'starknet_getBlockWithTxHashes', { block_id: 'latest' })) as { readonly timestamp: number }
  assertFreshTip(chain, BigInt(timestamp))
  // The answer is an error if no contract is there.
  await jsonRpc(node, 'starknet_getClassHashAt', { block_id: 'latest', contract_address: address })
}
