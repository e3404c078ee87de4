/** Makes a user's wallet on the local chain: an account with one key, over the JSON-RPC of nodes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChainJson, LocalWallet, OrderToFund } from '@tandem/chain-kit/local/local-chain.ts'
import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import { type TypedData, typedData } from 'starknet'
import { accountOfKey } from './account-keys.ts'
import { accountClass } from './classes/account.ts'
import { hex, paddedHex, selectorOf, shortString, U128 } from './felt.ts'
import { boundsFor, invokeFields, type RawCall, signedAccountDeployment, signedInvoke, signHash } from './transactions/invoke.ts'
import type { WireTransaction } from './transactions/wire-transaction.ts'

export interface StarknetWallet extends LocalWallet {
  /**
   * All calls are one transaction. Selectors are final: the SDK's `Account.execute` would hash them again. Resolves to the hash once the
   * transaction is in a block; rejects if it reverts.
   */
  execute(calls: readonly FeltCall[]): Promise<string>
  /** The message is of SNIP-12; the signature is r and s. */
  signTypedData(data: Readonly<Record<string, unknown>>): Promise<readonly [string, string]>
  signInitiation(order: OrderToFund): Promise<string>
  deploy(): Promise<void>
  balanceOf(owner: string, token: string): Promise<bigint>
  rpc(method: string, params: object): Promise<unknown>
}

const MINED_LIMIT_MS = 60_000
const POLL_MS = 50
const noGas = { l1Gas: 0n, l1DataGas: 0n, l2Gas: 0n }
const DEPLOYMENT_GAS = { l1Gas: 0n, l1DataGas: 5_000n, l2Gas: 5_000_000n }
const CONTRACT_NOT_FOUND = 20
const TRANSACTION_NOT_FOUND = 29

type Estimate = Readonly<Record<`${'l1_gas' | 'l1_data_gas' | 'l2_gas'}_${'consumed' | 'price'}`, string>>
type Status = { readonly finality_status: string; readonly execution_status?: string; readonly failure_reason?: string }
type RpcFailure = Error & { readonly code: number }

export function openStarknetWallet(local: LocalChainJson, privateKey: string): StarknetWallet {
  const { address, publicKey } = accountOfKey(privateKey)
  const chainId = shortString(local.network.replace(/^starknet:/, ''))

  async function rpc(method: string, params: object): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(String(local.rpc_url), { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string; data?: unknown } }
    if (error !== undefined)
      throw Object.assign(new Error(`${method}: ${error.message} ${JSON.stringify(error.data ?? '')}`), { code: error.code })
    return result
  }

  async function execute(calls: readonly FeltCall[]): Promise<string> {
    const raw = calls.map(rawCall)
    const nonce = BigInt(String(await rpc('starknet_getNonce', { block_id: 'latest', contract_address: hex(address) })))
    const invocation = { sender: address, calls: raw, nonce, tip: 0n }
    const draft = invokeFields({ ...invocation, bounds: boundsFor(noGas, noGas) })
    const question = { request: [draft], simulation_flags: ['SKIP_VALIDATE'], block_id: 'latest' }
    const [estimate] = (await rpc('starknet_estimateFee', question)) as readonly [Estimate]
    const transaction = signedInvoke({ ...invocation, bounds: roomyBounds(estimate) }, chainId, privateKey)
    await rpc('starknet_addInvokeTransaction', { invoke_transaction: transaction.json })
    return mined(transaction)
  }

  async function deploy(): Promise<void> {
    if (await isDeployed()) return
    const block = (await rpc('starknet_getBlockWithTxHashes', { block_id: 'latest' })) as Readonly<Record<string, { price_in_fri: string }>>
    const price = (resource: string) => BigInt(block[`${resource}_price`]?.price_in_fri ?? 0)
    const prices = { l1Gas: price('l1_gas'), l1DataGas: price('l1_data_gas'), l2Gas: price('l2_gas') }
    const deployment = { classHash: accountClass.classHash, publicKey, tip: 0n, bounds: boundsFor(DEPLOYMENT_GAS, prices) }
    const transaction = signedAccountDeployment(deployment, chainId, privateKey)
    await rpc('starknet_addDeployAccountTransaction', { deploy_account_transaction: transaction.json })
    await mined(transaction)
  }

  async function isDeployed(): Promise<boolean> {
    try {
      await rpc('starknet_getClassHashAt', { block_id: 'latest', contract_address: hex(address) })
      return true
    } catch (error) {
      if ((error as RpcFailure).code === CONTRACT_NOT_FOUND) return false
      throw error
    }
  }

  async function mined({ hash }: WireTransaction): Promise<string> {
    const end = Date.now() + MINED_LIMIT_MS
    while (Date.now() < end) {
      const status = await statusOf(hash)
      if (status?.execution_status === 'REVERTED') throw new Error(`transaction ${hex(hash)} reverted: ${status.failure_reason}`)
      if (status?.finality_status.startsWith('ACCEPTED_ON_')) return hex(hash)
      await sleep(POLL_MS)
    }
    throw new Error(`transaction ${hex(hash)} was not mined`)
  }

  async function statusOf(hash: bigint): Promise<Status | null> {
    try {
      return (await rpc('starknet_getTransactionStatus', { transaction_hash: hex(hash) })) as Status
    } catch (error) {
      if ((error as RpcFailure).code === TRANSACTION_NOT_FOUND) return null
      throw error
    }
  }

  async function signTypedData(data: Readonly<Record<string, unknown>>): Promise<readonly [string, string]> {
    const digest = typedData.getMessageHash(data as unknown as TypedData, hex(address))
    const [r = 0n, s = 0n] = signHash(privateKey, BigInt(digest))
    return [hex(r), hex(s)]
  }

  async function balanceOf(owner: string, token: string): Promise<bigint> {
    const request = { contract_address: token, entry_point_selector: hex(selectorOf('balance_of')), calldata: [owner] }
    const [low, high] = (await rpc('starknet_call', { request, block_id: 'latest' })) as readonly [string, string]
    return BigInt(low) + BigInt(high) * U128
  }

  return {
    address: paddedHex(address),
    execute,
    deploy,
    signTypedData,
    balanceOf,
    rpc,
    async balance(asset) {
      return balanceOf(hex(address), local.assets[asset]?.token ?? String(local.fee_token))
    },
    async fund(order) {
      const initiate = feltCall(order.initiate_transaction)
      if (initiate === null) throw new Error('POST /orders named no transaction to send')
      const approval = feltCall(order.approval_transaction)
      return execute(approval === null ? [initiate] : [approval, initiate])
    },
    async signInitiation(order) {
      if (!order.typed_data) throw new Error('POST /orders named nothing to sign')
      const approval = feltCall(order.approval_transaction)
      if (approval !== null && order.approval_required !== false) await execute([approval])
      return (await signTypedData(order.typed_data)).join()
    },
    async passTime(seconds) {
      await rpc('devnet_increaseTime', { time: seconds })
    },
  }
}

/** The transactions of other families have fields with other names. */
function feltCall(transaction: object | null | undefined): FeltCall | null {
  return transaction && 'selector' in transaction ? (transaction as FeltCall) : null
}

function rawCall({ to, selector, calldata }: FeltCall): RawCall {
  return { to: BigInt(to), selector: BigInt(selector), calldata: calldata.map(BigInt) }
}

/** The bounds are the estimate and half of it. */
function roomyBounds(estimate: Estimate) {
  const consumed = (resource: 'l1_gas' | 'l1_data_gas' | 'l2_gas') => (BigInt(estimate[`${resource}_consumed`]) * 3n) / 2n
  const price = (resource: 'l1_gas' | 'l1_data_gas' | 'l2_gas') => BigInt(estimate[`${resource}_price`])
  return boundsFor(
    { l1Gas: consumed('l1_gas'), l1DataGas: consumed('l1_data_gas'), l2Gas: consumed('l2_gas') },
    { l1Gas: price('l1_gas'), l1DataGas: price('l1_data_gas'), l2Gas: price('l2_gas') },
  )
}
