/** On Tron the user calls the HTLC of a token, or signs typed data for the service to send. */

import { verifyParsed, verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { contractSides } from '@tandem/chain-kit/browser/contract-sides.ts'
import type { PinnedContract, SdkFamily, SourceSide, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { verifyCall } from '@tandem/chain-kit/browser/verify-call.ts'
import { readLock, settledAs } from '@tandem/evm/browser/read-lock.ts'
import { verifyNode } from '@tandem/evm/browser/verify-node.ts'
import { approvalCall } from '@tandem/evm/terms/approval-call.ts'
import { chainIdOf, type HtlcContract, initiateData, redeemData, refundData, revokeData, swapIdOf } from '@tandem/evm/terms/htlc.ts'
import type { TransactionRequest } from '@tandem/protocol/funding/calls.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { maxUint256 } from 'viem'
import { fromEvmAddress, parseAddress, toEvmAddress } from '../terms/address.ts'
import { JSON_RPC_PATH } from '../terms/facts.ts'
import { feeCapSun } from '../terms/fees/limits.ts'
import { evmTerms, tokenOf, tronContracts, tronTypedData } from '../terms/htlc.ts'
import { depositAddresses } from './deposit-addresses.ts'
import type { TronCall, TronTypedData, TronWallet } from './wallet.ts'

export type TronPlan = {
  /** The wallet sends each approval once the one before is mined. */
  readonly approvals: readonly TronCall[]
  readonly initiate: TronCall
  /** Null means that a delegate pays: no signature can fund the order then. */
  readonly typedData: TronTypedData | null
}

const { contractOf, sidesWith } = contractSides({
  createContracts: tronContracts,
  parseAddress,
  swapIdOf: (contract, terms) => swapIdOf(contract, evmTerms(terms)),
})

export const family: SdkFamily<TronPlan, TronWallet> = {
  name: 'tron',
  ...sidesWith(planOf),
  deploymentOf: () => null,
  async verifyWallet({ chain }, { wallet }) {
    const [found, expected] = [await wallet.chainId(), chainIdOf(chain)]
    if (found !== expected)
      throw new Error(`the wallet is on the network of Tron with the chain id ${found}, and ${chain.id} has ${expected}: switch it`)
  },
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node, JSON_RPC_PATH),
  async fund({ approvals, initiate, typedData }, wallet, { gasless, signal }) {
    for (const approval of approvals) {
      signal?.throwIfAborted()
      await (await wallet.send(approval)).mined(signal)
    }
    signal?.throwIfAborted()
    if (gasless && typedData !== null) return { kind: 'signed', signature: await wallet.signTypedData(initiate.from, typedData) }
    return { kind: 'sent', tx: (await wallet.send(initiate)).hash }
  },
  readLock: (side, node) => readLock(contractOf(side), evmTerms(side.terms), node, JSON_RPC_PATH),
  settledAs: (side, node) => settledAs(contractOf(side), evmTerms(side.terms), node, JSON_RPC_PATH),
  redeemCall: (side, secret) => ({ chain: side.chain.id, to: htlcOf(side), data: redeemData(evmTerms(side.terms), secret) }),
  refundCall: (side) => ({ chain: side.chain.id, to: htlcOf(side), data: refundData(evmTerms(side.terms)) }),
  async findLocks(search, node) {
    const { findLocks } = await import('@tandem/evm/browser/find-locks.ts')
    const contractOfAsset = (of: PinnedContract) => contractOf({ ...of, chain: search.chain })
    return findLocks(search, node, { contractOf: contractOfAsset, partyOf: fromEvmAddress, path: JSON_RPC_PATH })
  },
  depositAddresses: depositAddresses(contractOf),
  async refund(side, { wallet }) {
    const call = { from: parseAddress(side.terms.initiator), to: htlcOf(side), data: refundData(evmTerms(side.terms)) }
    return (await wallet.send({ ...call, feeLimitSun: feeCapSun.refund })).hash
  },
  async redeem(side, secret, { wallet }) {
    const call = { from: await wallet.address(side.chain), to: htlcOf(side), data: redeemData(evmTerms(side.terms), secret) }
    return (await wallet.send({ ...call, feeLimitSun: feeCapSun.redeem })).hash
  },
}

function htlcOf(side: SwapSide): string {
  return fromEvmAddress(contractOf(side).address)
}

/** The service says which approvals are missing, because it has asked the chain. We approve the amount only, even if it proposes more. */
function planOf({ terms, payer, funding }: SourceSide, contract: HtlcContract): TronPlan {
  const shown = funding as Partial<FundingResult<'calls'>>
  const from = parseAddress(payer ?? terms.initiator)
  const inner = evmTerms(terms)
  const typedData = tronTypedData(contract, inner)
  verifySame('typed_data', typedData, shown.typed_data)
  verifySame('core_to_evm_transfer', undefined, shown.core_to_evm_transfer)
  verifySame('reclaim_transaction', undefined, shown.reclaim_transaction)
  const approve = (amount: bigint) => approvalCall(tokenOf(contract), contract.address, amount).data
  const { approval_transaction: approval, approval_reset_transaction: reset, initiate_transaction: initiate } = shown
  const call = (field: keyof typeof shown, to: string, data: string, given: TransactionRequest | undefined): TronCall => {
    verifyCall(field, { chainId: contract.chainId, to, data, value: 0n }, 'decimal', given)
    const verb = field === 'initiate_transaction' ? 'initiate' : 'approve'
    return { from, to, data, feeLimitSun: feeLimitOf(`${field}.gas_limit`, given?.gas_limit ?? '', feeCapSun[verb]) }
  }
  call('revoke_transaction', fromEvmAddress(contract.address), revokeData(inner), shown.revoke_transaction)
  const token = fromEvmAddress(tokenOf(contract))
  const isUnlimited = approval?.data === approve(maxUint256)
  const allow = approval === null ? [] : [call('approval_transaction', token, approve(isUnlimited ? maxUint256 : terms.amount), approval)]
  return {
    approvals: [
      ...(reset === undefined ? [] : [call('approval_reset_transaction', token, approve(0n), reset)]),
      ...allow.map((one) => ({ ...one, data: approve(terms.amount) })),
    ],
    initiate: call('initiate_transaction', fromEvmAddress(contract.address), initiateData(inner, toEvmAddress(from)), initiate),
    typedData: payer === null ? signable(typedData) : null,
  }
}

/** Wallets do not estimate the fee limit. An unused part is not charged, but a failing call may cost all of it. */
function feeLimitOf(field: string, shown: string, cap: bigint): bigint {
  const limit = verifyParsed(field, 'a number of sun', shown, parseNumber)
  verifyThat(limit > 0n && limit <= cap, field, `1 to ${cap} sun`, shown)
  return limit
}

function parseNumber(text: string): bigint {
  if (!/^[0-9]{1,20}$/.test(text)) throw new Error('not a number')
  return BigInt(text)
}

/** The contract checks these fields: without `destinationData`, and without the type that wallets add themselves. */
function signable(typedData: ReturnType<typeof tronTypedData>): TronTypedData {
  const { domain, types, message } = typedData as TronTypedData
  const { destinationData: _, ...rest } = message
  const fields = (types.Initiate ?? []).filter(({ name }) => name !== 'destinationData')
  return { domain, types: { Initiate: fields }, message: rest }
}
