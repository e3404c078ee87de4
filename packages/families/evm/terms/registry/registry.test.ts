/** Tests the registry data of EVM chains: complete, plausible, and equal to viem's list where that has it. */

import { environments } from '@tandem/families/registry.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import * as viemChains from 'viem/chains'
import { describe, expect, it } from 'vitest'
import { evmDataOf } from '../chain-data.ts'

const publicChains = [...environments.mainnet.chains, ...environments.testnet.chains]
const evmChains = publicChains.filter(({ family }) => family === 'evm' || family === 'hypercore')
const rows = evmChains.map((chain) => ({ id: chain.id, chain }))

/** Our most expensive transaction takes this gas. */
const SETTLE_GAS = 300_000n

const expected: Readonly<Record<string, readonly [gasPrice: string, dataFee: string, finalityTag: string | undefined]>> = {
  arbitrum: ['eip1559', 'in-gas', 'finalized'],
  arbitrum_sepolia: ['eip1559', 'in-gas', 'finalized'],
  base: ['eip1559', 'op-stack', 'finalized'],
  base_sepolia: ['eip1559', 'op-stack', 'finalized'],
  bnbchain: ['legacy', 'none', 'finalized'],
  bnbchain_testnet: ['legacy', 'none', 'finalized'],
  botanix: ['eip1559', 'none', undefined],
  alpen_testnet: ['eip1559', 'none', undefined],
  citrea: ['eip1559', 'citrea', undefined],
  citrea_testnet: ['eip1559', 'citrea', undefined],
  ethereum: ['eip1559', 'none', 'finalized'],
  ethereum_sepolia: ['eip1559', 'none', 'finalized'],
  hyperevm: ['eip1559', 'none', undefined],
  hypercore: ['eip1559', 'none', undefined],
  hypercore_testnet: ['eip1559', 'none', undefined],
  monad: ['eip1559', 'none', 'finalized'],
  monad_testnet: ['eip1559', 'none', 'finalized'],
}

/** viem's list is outdated for these chains. */
const newerThanViem = new Set(['bnbchain'])

const viemChainsOf = ({ reference }: Chain) => Object.values(viemChains).filter(({ id }) => `evm:${id}` === reference)

it('this test covers all of them, and only HyperCore has the id of another one', () => {
  expect(evmChains.map(({ id }) => id).sort()).toEqual(Object.keys(expected).sort())
  const others = evmChains.filter(({ id }) => id !== 'hypercore')
  expect(new Set(others.map(({ reference }) => reference)).size).toBe(others.length)
})

it.each(rows)('$id: fees and finality are as documented', ({ id, chain }) => {
  expect([evmDataOf(chain).fees.gasPrice, evmDataOf(chain).fees.dataFee, chain.finalityTag]).toEqual(expected[id])
  // viem has the address of the oracle where there is one.
  const named = viemChainsOf(chain).filter(({ name }) => name.split(' ')[0] === chain.displayName.split(' ')[0])
  const hasOracle = named.some(({ contracts }) => contracts !== undefined && 'gasPriceOracle' in contracts)
  expect(hasOracle).toBe(evmDataOf(chain).fees.dataFee === 'op-stack')
})

it.each(rows)('$id: chain id, explorer and block time are those of viem', ({ id, chain }) => {
  const known: readonly viemChains.Chain[] = viemChainsOf(chain)
  expect(known.map(({ nativeCurrency }) => nativeCurrency.decimals)).toContain(18)
  if (chain.family === 'evm') {
    const explorers = known.flatMap(({ blockExplorers }) => Object.values(blockExplorers ?? {}).map(({ url }) => url.replace(/\/$/, '')))
    expect(explorers).toContain(chain.explorerUrl)
  }
  const paces = known.flatMap(({ blockTime }) => blockTime ?? [])
  if (paces.length > 0 && known.length === 1 && !newerThanViem.has(id)) expect(paces).toContain(Number(chain.blockMs))
})

it.each(rows)('$id: claim margin, halt limit and fee bump allow for slow blocks', ({ chain }) => {
  const { fastest = 0n, slowest = 0n } = chain.blockBoundsMs ?? {}
  expect(fastest).toBeGreaterThan(0n)
  expect(fastest).toBeLessThanOrEqual(chain.blockMs)
  expect(slowest).toBeGreaterThan(chain.blockMs)
  expect(slowest).toBeLessThan(chain.haltSeconds * 1000n)
  // Two slow blocks pass until the transaction is mined, and then the confirmations.
  expect(BigInt(chain.requiredConfirmations) * chain.blockMs + 2n * slowest).toBeLessThanOrEqual(chain.margins.claimSeconds * 1000n)
  expect(chain.feeBumpSeconds * 1000n).toBeGreaterThanOrEqual(4n * chain.blockMs)
})

it.each(rows)('$id: the fee cap is neither ruinous nor too low', ({ chain }) => {
  const most = evmDataOf(chain).fees.maxPerGas * SETTLE_GAS
  expect(most).toBeGreaterThan(0n)
  const coin = environments.mainnet.assets.find((asset) => asset.id === chain.nativeAsset)
  if (coin === undefined) return
  // The smallest swap is worth about 50 US dollars.
  expect(most).toBeGreaterThanOrEqual(coin.minAmount)
  expect(most).toBeLessThanOrEqual(20n * coin.minAmount)
})

describe('public nodes', () => {
  const withNodes = publicChains.filter(({ publicRpcs }) => publicRpcs !== undefined)

  it('are named for every EVM chain, Starknet and Tron, and for no local chain', () => {
    expect(withNodes.map(({ id }) => id).sort()).toEqual(
      [...Object.keys(expected), 'starknet', 'starknet_sepolia', 'tron', 'tron_shasta'].sort(),
    )
    expect(environments.local.chains.filter(({ publicRpcs }) => publicRpcs !== undefined)).toEqual([])
  })

  it.each(withNodes.map((chain) => ({ id: chain.id, urls: chain.publicRpcs ?? [] })))(
    'of $id: https, no duplicates, no API keys',
    ({ urls }) => {
      expect(urls.length).toBeGreaterThan(0)
      expect(new Set(urls.map((url) => new URL(url).host)).size).toBe(urls.length)
      for (const url of urls) {
        const { protocol, username, password, search, hash, pathname } = new URL(url)
        expect([protocol, username, password, search, hash]).toEqual(['https:', '', '', '', ''])
        // A key would be a long part of the path.
        for (const part of pathname.split('/')) expect(part.length).toBeLessThan(20)
        expect(url.endsWith('/')).toBe(false)
      }
    },
  )

  it('belong to one chain each, where two chains of the registry are one', () => {
    const pairs = new Set(withNodes.flatMap(({ reference, publicRpcs }) => (publicRpcs ?? []).map((url) => `${url} ${reference}`)))
    const urls = new Set(withNodes.flatMap(({ publicRpcs }) => publicRpcs ?? []))
    expect(pairs.size).toBe(urls.size)
  })
})
