// Tests the chain of the local stack: the faucet, and a user's wallet that funds orders.
import { createHash, randomBytes } from 'node:crypto'
import type { LocalChainJson } from '@tandem/chain-kit/local/local-chain.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Asset } from '@tandem/protocol/asset.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { classicAddressToXAddress } from 'xrpl'
import { localKey } from './account-keys.ts'
import { xrplLocal } from './local.ts'
import type { XrplWallet } from './wallet.ts'
import { newKey, XRP } from './xrpl.fixture.ts'

const chain = localChains.find(({ id }) => id === 'xrpl_localnet')
const asset = localAssets.find(({ id }) => id === 'xrpl_localnet:xrp') as Asset
if (chain === undefined) throw new Error('the registry has no xrpl_localnet')

const local = opened(() => xrplLocal.start(chain, { faucetKey: newKey(), mining: 'instant' }))
let user: XrplWallet
let solver: XrplWallet
beforeAll(async () => {
  const json: LocalChainJson = { family: 'xrpl', network: chain.reference, ...local.details, assets: { [asset.id]: {} } }
  ;[user, solver] = [xrplLocal.openWallet(json, newKey()), xrplLocal.openWallet(json, newKey())]
  await Promise.all([user, solver].map(({ address }) => local.fund(asset, address, 100n * XRP)))
})

describe('the local chain', () => {
  it('is the network that the registry names', () => {
    expect(`xrpl:${local.control.networkId}`).toBe(chain.reference)
    // Clients read this far back when they start.
    expect(local.control.node.history.tip().index).toBeGreaterThan(chain.finalityBlocks)
    expect(local.details).toMatchObject({ ws_url: local.endpoints.ws })
  })

  it('pays accounts, also by X-addresses of test networks, and says who cannot be paid', async () => {
    const { address } = localKey(newKey())
    await local.fund(asset, classicAddressToXAddress(address, 5, true), 2n * XRP)
    expect(await user.balanceOf(address)).toBe(2n * XRP)
    expect(await user.balanceOf(localKey(newKey()).address)).toBe(0n)
    for (const wrong of ['alice', classicAddressToXAddress(address, 5, false), `${address}x`])
      await expect(local.fund(asset, wrong, XRP)).rejects.toMatchObject({ code: 'invalid_address' })
    await expect(local.fund(asset, localKey(newKey()).address, 1n)).rejects.toThrow('tecNO_DST_INSUF_XRP')
  })

  it('lets a wallet fund an order, and another one finish it', async () => {
    const secret = randomBytes(32)
    const { Condition, order } = newOrder(createHash('sha256').update(secret).digest('hex'))
    const [before, theirs] = [await user.balance(asset.id), await solver.balance(asset.id)]
    const hash = await user.fund(order)
    expect(hash).toMatch(/^[0-9A-F]{64}$/)
    expect(before - (await user.balance(asset.id))).toBeGreaterThanOrEqual(10n * XRP)
    const Fulfillment = `A0228020${secret.toString('hex')}`.toUpperCase()
    await solver.send({ TransactionType: 'EscrowFinish', Owner: user.address, OfferSequence: sequenceOf(hash), Condition, Fulfillment })
    expect((await solver.balance(asset.id)) - theirs).toBeGreaterThan(9n * XRP)
  })

  it('returns it when the time has passed', async () => {
    const { order } = newOrder('ab'.repeat(32))
    const sequence = sequenceOf(await user.fund(order))
    const cancel = { TransactionType: 'EscrowCancel', Owner: user.address, OfferSequence: sequence }
    await expect(solver.send(cancel)).rejects.toThrow('tecNO_PERMISSION')
    await user.passTime(60)
    const before = await user.balance(asset.id)
    await solver.send(cancel)
    expect(await user.balance(asset.id)).toBe(before + 10n * XRP)
    await expect(user.fund({})).rejects.toThrow('POST /orders named no transaction to send')
  })
})

function newOrder(secretHash: string) {
  const Condition = `A0258020${secretHash}810120`.toUpperCase()
  const transaction = {
    TransactionType: 'EscrowCreate',
    Account: user.address,
    Destination: solver.address,
    Amount: String(10n * XRP),
    Condition,
    CancelAfter: local.control.node.history.tip().closeTime + 60,
  }
  return { Condition, order: { escrow_create_tx: transaction } as never }
}

function sequenceOf(hash: string): number {
  return local.control.node.history.transaction(hash)?.transaction.sequence ?? 0
}
