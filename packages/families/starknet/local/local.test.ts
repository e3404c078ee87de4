// These tests use the chain of the local stack: deployed contracts, faucet, and a user's wallet that funds orders.
import { createHash, randomBytes } from 'node:crypto'
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { approveCall, initiateCall, initiatedAtCall, initiateWithSignatureCall, redeemCall, refundCall } from '../contract/client/calls.ts'
import type { Felt } from '../contract/client/felt.ts'
import { type OrderTerms, orderId, orderMarks } from '../contract/client/order.ts'
import { initiateTypedData } from '../contract/client/typed-data.ts'
import { hex } from './felt.ts'
import { starknetLocal } from './local.ts'
import { newKey } from './starknet.fixture.ts'
import type { StarknetWallet } from './wallet.ts'

const chain = localChains.find(({ id }) => id === 'starknet_localnet')
if (chain === undefined) throw new Error('the registry has no starknet_localnet')
const WBTC = 'starknet_localnet:wbtc'

const local = opened(() => starknetLocal.start(chain, { faucetKey: newKey(), mining: 'instant' }))
let user: StarknetWallet
let solver: StarknetWallet
beforeAll(async () => {
  const json: LocalChainJson = {
    family: 'starknet',
    network: chain.reference,
    ...local.details,
    assets: Object.fromEntries(
      Object.entries(local.deployments).map(([id, { htlc, token }]) => [id, { htlc: htlc ?? '', token: token ?? '' }]),
    ),
  }
  const userKey = newKey()
  await local.openAccount?.(userKey)
  user = starknetLocal.openWallet(json, userKey)
  solver = starknetLocal.openWallet(json, newKey())
  await local.fundGas?.(solver.address)
  await solver.deploy()
})

function assetOf(id: string): Asset {
  const asset = localAssets.find((known) => known.id === id)
  if (asset === undefined) throw new Error(`no asset ${id}`)
  return asset
}

const felt = (text: string): Felt => hex(BigInt(text))

function newOrder(amount: bigint) {
  const { htlc, token } = local.deployments[WBTC] ?? {}
  const secret = randomBytes(32).toString('hex')
  const secretHash = createHash('sha256').update(secret, 'hex').digest('hex')
  const terms: OrderTerms = { initiator: felt(user.address), redeemer: felt(solver.address), timelock: 60n, amount, secretHash }
  const deployment = { chainId: local.control.chainId as Felt, address: felt(htlc ?? '') }
  return { secret, terms, deployment, htlc: felt(htlc ?? ''), token: felt(token ?? '') }
}

async function stateOf({ htlc, deployment, terms }: ReturnType<typeof newOrder>): Promise<bigint> {
  const { to, selector, calldata } = initiatedAtCall(htlc, orderId(deployment, terms))
  const request = { contract_address: to, entry_point_selector: selector, calldata }
  const [state] = (await user.rpc('starknet_call', { request, block_id: 'latest' })) as readonly [string]
  return BigInt(state)
}

describe('the local chain', () => {
  it('names a socket that tells of new blocks, so that parties need not poll', () => {
    expect(local.endpoints.ws).toBe(local.control.webSocketUrl)
  })

  it('pays both tokens from the faucet, to addresses of accounts only', async () => {
    const strk = String(local.details.fee_token)
    const before = await user.balanceOf(user.address, strk)
    await local.fundCoin?.(user.address, 7n)
    expect(await user.balanceOf(user.address, strk)).toBe(before + 7n)
    await local.fund(assetOf(WBTC), user.address, 1_000_000n)
    expect(await user.balance(WBTC)).toBe(1_000_000n)
    for (const address of ['0x0', '0x1', '0x', `0x${'f'.repeat(64)}`, 'alice'])
      await expect(local.fund(assetOf(WBTC), address, 1n)).rejects.toMatchObject({ code: 'invalid_address' })
  })

  it('lets a wallet fund an order with approval and initiation in one transaction, and another redeem it', async () => {
    const order = newOrder(300_000n)
    const { htlc, token, terms, secret } = order
    const approval = approveCall(token, htlc, terms.amount)
    const initiate = initiateCall(htlc, terms)
    const tx = await user.fund({ approval_transaction: approval, initiate_transaction: initiate } as never)
    expect(tx).toMatch(/^0x[0-9a-f]+$/)
    expect(await stateOf(order)).toBeGreaterThan(orderMarks.refunded)
    await solver.execute([redeemCall(htlc, terms, secret)])
    expect(await solver.balance(WBTC)).toBe(300_000n)
    expect(await stateOf(order)).toBe(orderMarks.redeemed)
  })

  it('lets another send what a wallet signed, and refunds when the time has passed', async () => {
    const order = newOrder(200_000n)
    const { htlc, token, terms, deployment } = order
    const typedData = initiateTypedData(deployment, terms)
    const signature = await user.signInitiation({
      approval_transaction: approveCall(token, htlc, terms.amount),
      typed_data: typedData,
    } as never)
    const before = await user.balance(WBTC)
    await solver.execute([initiateWithSignatureCall(htlc, terms, signature.split(',') as Felt[])])
    expect(await user.balance(WBTC)).toBe(before - terms.amount)
    await expect(solver.execute([refundCall(htlc, terms)])).rejects.toThrow('HTLC: order not expired')
    await user.passTime(61)
    await solver.execute([refundCall(htlc, terms)])
    expect(await user.balance(WBTC)).toBe(before)
  })
})
