/** On EVM chains the user calls the HTLC, or signs typed data for the service to send. */

import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import { contractSides } from '@tandem/chain-kit/browser/contract-sides.ts'
import type { Balance, Funded, HeldAsset, Node, SdkFamily, SourceSide } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { verifyCall } from '@tandem/chain-kit/browser/verify-call.ts'
import type { FundingResult } from '@tandem/protocol/funding/funding.ts'
import { type Address, encodeFunctionData, erc20Abi, maxUint256, zeroHash } from 'viem'
import { htlcErc20 } from '../contract/artifacts/htlc-erc20.ts'
import { parseAddress } from '../terms/address.ts'
import { approvalCall } from '../terms/approval-call.ts'
import { create2AddressOf } from '../terms/deploy/create2-deployer.ts'
import { htlcInitCode } from '../terms/deploy/htlc-init-code.ts'
import { htlcCode } from '../terms/deploy/verify-code.ts'
import { createContracts, type HtlcContract, initiateData, initiateTypedData, revokeData, swapIdOf } from '../terms/htlc.ts'
import type { TypedData } from '../terms/one-signature.ts'
import { depositAddresses } from './deposit-addresses.ts'
import { readLock, settledAs } from './read-lock.ts'
import { settling } from './settle.ts'
import { offerOf, type SignedOffer } from './signature-offer.ts'
import { verifyNode } from './verify-node.ts'
import type { EvmCall, EvmWallet } from './wallet.ts'

/** No initiation takes more gas. */
const INITIATE_GAS = 200_000n

/** The price may double until the user pays. */
const PRICE_FACTOR = 2n

export type EvmPlan = {
  readonly chainId: number
  /** The wallet sends each approval once the one before is mined. */
  readonly approvals: readonly EvmCall[]
  readonly initiate: EvmCall
  /** Null means that no signature can fund the order: it is in a native coin, or a delegate pays. */
  readonly typedData: TypedData | null
  /** The user may sign this instead, and then needs no approval. */
  readonly offer: SignedOffer | null
}

const { contractOf, sidesWith } = contractSides({ createContracts, parseAddress, swapIdOf })

export const family: SdkFamily<EvmPlan, EvmWallet> = {
  name: 'evm',
  ...sidesWith(planOf),
  /** The address of an HTLC follows from its code and its token (CREATE2). */
  deploymentOf({ tokenSchema, tokenAddress }) {
    if (tokenSchema !== null && tokenAddress === null) return null
    const token = tokenAddress === null ? null : parseAddress(tokenAddress)
    return { htlc: create2AddressOf(htlcInitCode(token)), token }
  },
  async verifyWallet(side, { wallet, node }, to) {
    if (to !== 'pay') return
    const contract = contractOf(side)
    if (node !== null) return verifyCode(contract, node)
    if (contract.token !== null) return
    // If the integrator has no node, the wallet's node serves: it must show a contract that knows orders.
    const asked = encodeFunctionData({ abi: htlcErc20.abi, functionName: 'initiatedAt', args: [zeroHash] })
    verifyThat(
      (await wallet.call(contract.chainId, contract.address, asked)) !== '0x',
      'htlc',
      'a contract',
      `no code at ${contract.address}`,
    )
  },
  verifyNode: (side, node) => verifyNode(side.chain, contractOf(side), node),
  async fund({ chainId, approvals, initiate, typedData, offer }, wallet, { gasless, signal }) {
    if (gasless && offer !== null) return signOffer(chainId, initiate.from, offer, wallet, signal)
    for (const approval of approvals) {
      signal?.throwIfAborted()
      await (await wallet.send(chainId, approval)).mined(signal)
    }
    signal?.throwIfAborted()
    if (gasless && typedData !== null) return { kind: 'signed', signature: await wallet.signTypedData(chainId, initiate.from, typedData) }
    return { kind: 'sent', tx: (await wallet.send(chainId, initiate)).hash }
  },
  balanceOf,
  ...settling(contractOf),
  depositAddresses: depositAddresses(contractOf),
  readLock: (side, node) => readLock(contractOf(side), side.terms, node),
  settledAs: (side, node) => settledAs(contractOf(side), side.terms, node),
}

function planOf(side: SourceSide, contract: HtlcContract): EvmPlan {
  const { terms } = side
  // Each field is compared with ours before anything is used.
  const shown = side.funding as Partial<FundingResult<'calls'>>
  const { address, token, chainId } = contract
  const payer = parseAddress(side.payer ?? terms.initiator)
  const initiate = { to: address, data: initiateData(terms, payer), value: token === null ? terms.amount : 0n }
  verifyCall('initiate_transaction', { chainId, ...initiate }, 'hex', shown.initiate_transaction)
  const typedData = token === null ? null : initiateTypedData(contract, terms)
  verifySame('typed_data', typedData, shown.typed_data)
  verifySame('core_to_evm_transfer', undefined, shown.core_to_evm_transfer)
  verifySame('reclaim_transaction', undefined, shown.reclaim_transaction)
  if (token === null) verifySame('revoke_transaction', undefined, shown.revoke_transaction)
  else verifyCall('revoke_transaction', { chainId, to: address, data: revokeData(terms), value: 0n }, 'hex', shown.revoke_transaction)
  return {
    chainId,
    approvals: approvalsOf(shown, contract, terms.amount).map((call) => ({ from: payer, ...call })),
    initiate: { from: payer, ...initiate },
    typedData: side.payer === null ? typedData : null,
    offer: side.payer === null ? offerOf(side, contract, shown.signature_offers) : null,
  }
}

async function signOffer(
  chainId: number,
  from: string,
  { offer, typedData }: SignedOffer,
  wallet: EvmWallet,
  signal: AbortSignal | undefined,
): Promise<Funded> {
  const signatures: string[] = []
  for (const data of typedData) {
    signal?.throwIfAborted()
    signatures.push(await wallet.signTypedData(chainId, from, data))
  }
  return { kind: 'signed', offer, signature: signatures.join(',') }
}

/** The service says which approvals are missing, because it has asked the chain. We approve the amount only, even if it proposes more. */
function approvalsOf(shown: Partial<FundingResult<'calls'>>, { token, address, chainId }: HtlcContract, amount: bigint): readonly Call[] {
  const { approval_transaction: approval, approval_reset_transaction: reset } = shown
  if (token === null) {
    verifySame('approval_transaction', null, approval)
    verifySame('approval_reset_transaction', undefined, reset)
    return []
  }
  const exact = approvalCall(token, address, amount)
  const unlimited = approvalCall(token, address, maxUint256)
  const toZero = approvalCall(token, address, 0n)
  const proposed = approval?.data === unlimited.data ? unlimited : exact
  if (reset !== undefined) verifyCall('approval_reset_transaction', { chainId, ...toZero }, 'hex', reset)
  if (approval !== null) verifyCall('approval_transaction', { chainId, ...proposed }, 'hex', approval)
  return [...(reset === undefined ? [] : [toZero]), ...(approval === null ? [] : [exact])]
}

type Call = ReturnType<typeof approvalCall>

async function balanceOf({ deployment: { token } }: HeldAsset, address: string, node: Node): Promise<Balance> {
  if (token !== null) {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address as Address] })
    const answer = String(await jsonRpc(node, 'eth_call', [{ to: token, data }, 'latest']))
    const balance = BigInt(answer === '0x' ? 0 : answer)
    return { balance, spendable: balance }
  }
  const [balance, price] = await Promise.all(
    [jsonRpc(node, 'eth_getBalance', [address, 'latest']), jsonRpc(node, 'eth_gasPrice', [])].map(async (answer) =>
      BigInt(String(await answer)),
    ),
  )
  const left = (balance ?? 0n) - (price ?? 0n) * PRICE_FACTOR * INITIATE_GAS
  return { balance: balance ?? 0n, spendable: left > 0n ? left : 0n }
}

/** An imitation could answer every call as ours does, and an address without code would lose the money: so the node shows the code. */
async function verifyCode(contract: HtlcContract, node: Node): Promise<void> {
  const code = String(await jsonRpc(node, 'eth_getCode', [contract.address, 'latest']))
  const found = code === '0x' ? `no code at ${contract.address}` : `another code at ${contract.address}`
  verifyThat(code.toLowerCase() === htlcCode(contract), 'htlc', 'the code of our HTLC', found)
}
