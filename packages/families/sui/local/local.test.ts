// These tests use the chain of the local stack: published contracts, faucet, and a user's wallet that funds orders.
import { createHash, randomBytes } from 'node:crypto'
import { bcs } from '@mysten/sui/bcs'
import { Transaction } from '@mysten/sui/transactions'
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Deployment, initiateCall, redeemCall, refundCall, stateCall } from '../contract/client/calls.ts'
import { type OrderTerms, orderId, orderMarks } from '../contract/client/order.ts'
import { isPublication } from '../contract/client/package.ts'
import { suiLocal } from './local.ts'
import { SUI_TYPE } from './objects/types.ts'
import { newKey, SUI } from './sui.fixture.ts'
import type { SuiWallet } from './wallet.ts'

const chain = localChains.find(({ id }) => id === 'sui_localnet')
if (chain === undefined) throw new Error('the registry has no sui_localnet')
const NATIVE = 'sui_localnet:sui'
const TOKEN = 'sui_localnet:usdc'

const local = opened(() => suiLocal.start(chain, { faucetKey: newKey(), mining: 'instant' }))
let user: SuiWallet
let solver: SuiWallet
beforeAll(async () => {
  const json: LocalChainJson = {
    family: 'sui',
    network: chain.reference,
    ...local.details,
    assets: Object.fromEntries(
      Object.entries(local.deployments).map(([id, { htlc, token }]) => [id, { htlc: htlc ?? '', ...(token !== null && { token }) }]),
    ),
  }
  user = suiLocal.openWallet(json, newKey())
  solver = suiLocal.openWallet(json, newKey())
  for (const { address } of [user, solver]) await local.fund(assetOf(NATIVE), address, 100n * SUI)
})

function assetOf(id: string): Asset {
  const asset = localAssets.find((known) => known.id === id)
  if (asset === undefined) throw new Error(`no asset ${id}`)
  return asset
}

async function deploymentOf(asset: string): Promise<Deployment> {
  const { htlc, token } = local.deployments[asset as keyof typeof local.deployments] ?? {}
  const { object } = await user.client.getObject({ objectId: htlc ?? '' })
  const shared = object.owner.$kind === 'Shared' ? object.owner.Shared.initialSharedVersion : ''
  return {
    packageId: object.type.split('::')[0] ?? '',
    registry: object.objectId,
    initialSharedVersion: shared,
    coinType: token ?? SUI_TYPE,
  }
}

function newOrder(amount: bigint) {
  const secret = randomBytes(32).toString('hex')
  const secretHash = createHash('sha256').update(secret, 'hex').digest('hex')
  const terms: OrderTerms = { initiator: user.address, redeemer: solver.address, timelock: 60_000n, amount, secretHash }
  return { secret, terms }
}

async function stateOf(htlc: Deployment, terms: OrderTerms): Promise<bigint> {
  const tx = new Transaction()
  stateCall(tx, htlc, orderId(htlc.registry, terms))
  tx.setSender(user.address)
  const { commandResults } = await user.client.simulateTransaction({ transaction: tx, include: { commandResults: true } })
  return BigInt(bcs.u64().parse(commandResults?.[0]?.returnValues[0]?.bcs ?? new Uint8Array()))
}

async function send(wallet: SuiWallet, build: (tx: Transaction) => unknown): Promise<string> {
  const tx = new Transaction()
  build(tx)
  return wallet.execute(tx)
}

describe('the local chain', () => {
  it('is the chain of the registry, with a package that nobody can upgrade', async () => {
    expect(`sui:${local.details.chain_id}`).toBe(chain.reference)
    const { packageId } = await deploymentOf(NATIVE)
    const { object } = await user.client.getObject({ objectId: packageId, include: { previousTransaction: true } })
    const published = await user.client.getTransaction({ digest: object.previousTransaction ?? '', include: { bcs: true } })
    expect(isPublication(published.Transaction?.bcs ?? new Uint8Array())).toBe(true)
  })

  it('pays both currencies from the faucet, to addresses of accounts only', async () => {
    const before = await user.balance(NATIVE)
    await local.fund(assetOf(NATIVE), user.address, 7n)
    expect(await user.balance(NATIVE)).toBe(before + 7n)
    await local.fund(assetOf(TOKEN), user.address, 1_000_000n)
    expect(await user.balance(TOKEN)).toBe(1_000_000n)
    for (const address of ['0x0', '0x', `0x${'f'.repeat(65)}`, 'alice'])
      await expect(local.fund(assetOf(TOKEN), address, 1n)).rejects.toMatchObject({ code: 'invalid_address' })
  })

  it('lets a wallet fund an order with a transaction kind, and another redeem it', async () => {
    const htlc = await deploymentOf(NATIVE)
    const { terms, secret } = newOrder(3n * SUI)
    const kind = new Transaction()
    const [coin] = kind.splitCoins(kind.gas, [terms.amount])
    initiateCall(kind, htlc, terms, coin)
    const tx = await user.fund({ ptb_bytes: [...(await kind.build({ onlyTransactionKind: true }))] })
    expect(tx).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/)
    expect(await stateOf(htlc, terms)).toBeGreaterThan(orderMarks.refunded)
    const before = await solver.balance(NATIVE)
    await send(solver, (redeeming) => redeemCall(redeeming, htlc, orderId(htlc.registry, terms), secret))
    expect(await solver.balance(NATIVE)).toBeGreaterThan(before + 2n * SUI)
    expect(await stateOf(htlc, terms)).toBe(orderMarks.redeemed)
  })

  it('refunds a token when the time has passed, and not before', async () => {
    const htlc = await deploymentOf(TOKEN)
    const { terms } = newOrder(400_000n)
    const { objects } = await user.client.listCoins({ owner: user.address, coinType: htlc.coinType })
    await send(user, (tx) => {
      const [coin] = tx.splitCoins(objects[0]?.objectId ?? '', [terms.amount])
      return initiateCall(tx, htlc, terms, coin)
    })
    expect(await user.balance(TOKEN)).toBe(600_000n)
    const refund = (tx: Transaction) => refundCall(tx, htlc, orderId(htlc.registry, terms))
    await expect(send(solver, refund)).rejects.toThrow('abort code: 12')
    await user.passTime(60_000)
    await send(solver, refund)
    expect(await user.balance(TOKEN)).toBe(1_000_000n)
  })
})
