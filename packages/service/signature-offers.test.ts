/** Tests that the catalog says what a token takes as soon as it is known, and waits for no node. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { localAssets } from '@tandem/families/registry.ts'
import type { ListedAsset } from '@tandem/protocol/registry/registry.ts'
import { expect, test, vi } from 'vitest'
import { createSignatureOffers } from './signature-offers.ts'

const listed = localAssets.find(({ id }) => id === 'ethereum_localnet:usdc')
const asset = { ...listed, deployment: { htlc: '0x1', token: '0x2' } } as ListedAsset

function setup() {
  let now = 0
  const log = { error: vi.fn() }
  const offers = vi.fn(async () => ['authorization'] as readonly string[])
  const clients = new Map([[asset.chain, { gasless: { offers } } as unknown as ChainClient]])
  const known = createSignatureOffers({ clients, log, nowMs: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { known, offers, log, pass }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0))

test('an asset says nothing until its node has answered, then what it takes, and asks once a minute', async () => {
  const { known, offers, pass } = setup()
  expect(known.of(asset)).toEqual([])
  await settled()
  expect(known.of(asset)).toEqual(['authorization'])
  expect(offers).toHaveBeenCalledTimes(1)
  offers.mockResolvedValue(['permit'])
  pass(60_001)
  expect(known.of(asset)).toEqual(['authorization'])
  await settled()
  expect(known.of(asset)).toEqual(['permit'])
})

test('a node that does not answer leaves what was known, and another failure is logged', async () => {
  const { known, offers, log, pass } = setup()
  known.of(asset)
  await settled()
  offers.mockRejectedValue(new ChainFailure('unreachable', 'no answer'))
  pass(60_001)
  known.of(asset)
  await settled()
  expect(known.of(asset)).toEqual(['authorization'])
  expect(log.error).not.toHaveBeenCalled()
  offers.mockRejectedValue(new Error('a mistake of ours'))
  pass(60_001)
  known.of(asset)
  await settled()
  expect(log.error).toHaveBeenCalledTimes(1)
})

test('an asset without a contract, and a chain without a client, are asked nothing', async () => {
  const { known, offers } = setup()
  expect(known.of({ ...asset, deployment: null })).toEqual([])
  expect(known.of({ ...asset, id: 'elsewhere:usdc', chain: 'elsewhere' })).toEqual([])
  await settled()
  expect(offers).not.toHaveBeenCalled()
})
