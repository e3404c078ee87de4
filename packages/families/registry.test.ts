/** Tests that the chains and assets of each environment are complete and consistent. */
import { readFile } from 'node:fs/promises'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { REMEMBERED_BLOCKS } from '@tandem/party/store/chain/events.ts'
import { divideRoundingUp } from '@tandem/protocol/amount.ts'
import type { Asset, ConfirmationTier } from '@tandem/protocol/asset.ts'
import { parseAssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { requiredConfirmations } from '@tandem/protocol/confirmations.ts'
import { factsOf, normalTimes } from '@tandem/protocol/example-order.fixture.ts'
import type { HtlcEvent } from '@tandem/protocol/htlc.ts'
import { environmentNames } from '@tandem/protocol/registry/environment.ts'
import {
  assetProblems,
  chainProblems,
  confirmationsOf,
  MAX_FINALITY_BLOCKS,
  pairProblem,
  revealSlackSeconds,
} from '@tandem/protocol/registry/problems.ts'
import { createRegistry, type DeployedContracts } from '@tandem/protocol/registry/registry.ts'
import { deriveOrder } from '@tandem/protocol/state.ts'
import { clockAfter, countsHeight, maxSeconds } from '@tandem/protocol/timelock.ts'
import { describe, expect, it } from 'vitest'
import { assertAddress } from './assert-address.fixture.ts'
import { expectedAssets } from './expected-assets.fixture.ts'
import { loadContractSchemas } from './index.ts'
import { environments } from './registry.ts'

/** No public explorer shows these chains, as far as we know. */
const withoutExplorer = new Set([
  'bitcoin_regtest',
  'litecoin_regtest',
  'ethereum_localnet',
  'arbitrum_localnet',
  'hypercore_localnet',
  'tron_localnet',
  'solana_localnet',
  'starknet_localnet',
  'sui_localnet',
  'xrpl_localnet',
  'alpen_signet',
])

/** These token addresses of families without checksums are written a second time: comparing finds a mistyped letter. */
const withoutChecksum: Readonly<Record<string, string>> = {
  'solana:cbbtc': 'cbbtcf3aa214zXHbiAZQwf4122FBYbraNdFqgw4iMij',
  'solana:usdc': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'solana_testnet:usdc': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  'starknet:wbtc': '0x03fe2b97c1fd336e750087d68b9b867997fd64a2661ff3ca5a7c771641e8e7ac',
}

/** The seconds are left for the reveal rule when the destination has just reached its required confirmations. */
function derivedRevealSlack(chain: Chain, required = chain.requiredConfirmations): bigint {
  const facts = factsOf(normalTimes('initiated', 'initiated'))
  const tip = { ...facts.tips.destination, ordinal: facts.tips.destination.height }
  const confirmations = BigInt(required)
  const height = tip.height - confirmations + 1n
  const block = {
    height,
    ordinal: height,
    hash: 'deposit',
    time: tip.time - divideRoundingUp((confirmations - 1n) * chain.blockMs, 1000n),
  }
  const { destination } = facts.order
  const terms = { ...destination.terms, timelock: chain.timelocks.destination }
  const expiresAt = chain.clock.expiry === 'absolute' ? clockAfter(block, chain.clock) + terms.timelock : null
  const dated = (event: HtlcEvent) => ({ ...event, block, ...(event.kind === 'initiated' && { expiresAt }) })
  const state = deriveOrder({
    ...facts,
    order: { ...facts.order, destination: { ...destination, terms, requiredConfirmations: required } },
    chains: { ...facts.chains, destination: chain },
    tips: { ...facts.tips, destination: tip },
    events: { ...facts.events, destination: facts.events.destination.map(dated) },
  })
  if (state.destination.phase !== 'initiated') throw new Error(`the destination is ${state.destination.phase}`)
  return state.revealSecondsLeft
}

const rows = environmentNames.map((name) => ({ name, ...environments[name] }))

describe.each(rows)('the $name environment', ({ name, chains, assets }) => {
  it('lists the assets that clients know, with their decimals', () => {
    expect(Object.fromEntries(assets.map((asset) => [asset.id, asset.decimals]))).toEqual(expectedAssets[name])
    expect(assets).toHaveLength(Object.keys(expectedAssets[name]).length)
  })

  it('has every chain once, each with an asset', () => {
    expect(new Set(chains.map(({ id }) => id)).size).toBe(chains.length)
    // HyperEVM and HyperCore are one chain for nodes and wallets. A registry refuses to serve both.
    const shared = chains.filter(({ reference }) => chains.filter((other) => other.reference === reference).length > 1)
    expect(shared.map(({ id }) => id)).toEqual(name === 'mainnet' ? ['hyperevm', 'hypercore'] : [])
    expect([...new Set(assets.map(({ chain }) => chain))].sort()).toEqual(chains.map(({ id }) => id).sort())
  })

  it.each(chains.map((chain) => ({ id: chain.id, chain })))('$id: the chain is consistent', ({ chain }) => {
    expect(chain.reference).toMatch(
      chain.family === 'evm' || chain.family === 'hypercore'
        ? /^evm:[1-9][0-9]*$/
        : /^(bitcoin|litecoin|solana|starknet|sui|tron|xrpl):[\w-]+$/,
    )
    expect(chain.requiredConfirmations).toBeGreaterThan(0)
    expect(chain.finalityBlocks).toBeGreaterThanOrEqual(chain.requiredConfirmations)
    // A reorg that we allow for must not reach below the blocks that the store remembers.
    expect(chain.finalityBlocks).toBeLessThanOrEqual(REMEMBERED_BLOCKS)
    expect(MAX_FINALITY_BLOCKS).toBeLessThanOrEqual(REMEMBERED_BLOCKS)
    expect(chain.clock.fastestMs).toBeGreaterThan(0n)
    expect(chain.clock.fastestMs).toBeLessThanOrEqual(chain.clock.slowestMs)
    if (countsHeight(chain.clock)) {
      expect(chain.blockMs).toBeGreaterThanOrEqual(chain.clock.fastestMs)
      expect(chain.blockMs).toBeLessThanOrEqual(chain.clock.slowestMs)
    }
    expect(chain.haltSeconds * 1000n).toBeGreaterThan(chain.blockMs)
    expect(BigInt(chain.pollMs)).toBeLessThanOrEqual(chain.blockMs * 10n)
    if (withoutExplorer.has(chain.id)) expect(chain.explorerUrl).toBe('')
    else expect(new URL(chain.explorerUrl).protocol).toBe('https:')
    expect(chain.icon).toEqual({ text: expect.stringMatching(/^[A-Za-z0-9]{1,4}$/), color: expect.stringMatching(/^#[0-9a-f]{6}$/) })
    expect(chain.displayName).toMatch(/^[A-Z]/)
    expect(
      chainProblems(
        chain,
        assets.filter((asset) => asset.chain === chain.id),
      ),
    ).toEqual([])
  })

  it.each(chains.map((chain) => ({ id: chain.id, chain })))('$id: each schema that it names is one of GET /schemas', async ({ chain }) => {
    const known = Object.keys(await loadContractSchemas())
    expect(chain.htlcSchemas).not.toEqual([])
    expect(known).toEqual(expect.arrayContaining([...chain.htlcSchemas, ...chain.tokenSchemas]))
  })

  it.each(chains.map((chain) => ({ id: chain.id, chain })))('$id: its native asset is its own coin', ({ chain }) => {
    expect(parseAssetId(chain.nativeAsset).split(':')[0]).toBe(chain.id)
    const coins = assets.filter((asset) => asset.chain === chain.id && asset.tokenSchema === null)
    for (const asset of coins) expect(asset.id).toBe(chain.nativeAsset)
    for (const asset of assets.filter(({ id }) => id === chain.nativeAsset)) expect(asset.tokenSchema).toBeNull()
  })

  it.each(assets.map((asset) => ({ id: asset.id, asset })))('$id: the asset is consistent', ({ asset }) => {
    const chain = find(chains, asset)
    expect(assetProblems(asset, chain)).toEqual([])
    expect(asset.id).toBe(`${asset.chain}:${asset.symbol.toLowerCase()}`)
    expect(asset.minAmount).toBeGreaterThan(0n)
    expect(asset.minAmount).toBeLessThan(asset.maxAmount)
    // A limit with a digit too many would be far from the other one.
    expect(asset.maxAmount / asset.minAmount).toBeLessThanOrEqual(100_000n)
    expect(asset.maxAmount / asset.minAmount).toBeGreaterThanOrEqual(500n)
    expect(chain.htlcSchemas).toContain(asset.htlcSchema)
    if (asset.tokenSchema !== null) expect(chain.tokenSchemas).toContain(asset.tokenSchema)
    else expect(asset.tokenAddress).toBeNull()
    if (asset.tokenAddress !== null) {
      assertAddress(chain.family, asset.tokenAddress)
      if (chain.family === 'solana' || chain.family === 'starknet') expect(asset.tokenAddress).toBe(withoutChecksum[asset.id])
    }
  })

  it('names no token twice', () => {
    const addresses = assets.flatMap(({ chain, tokenAddress }) => (tokenAddress === null ? [] : [`${chain} ${tokenAddress.toLowerCase()}`]))
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  // A chain with two assets is also a pair with itself.
  const isPair = (source: Chain, destination: Chain) =>
    source !== destination || assets.filter(({ chain }) => chain === source.id).length > 1
  const pairs = chains.flatMap((source) =>
    chains
      .filter((destination) => isPair(source, destination))
      .map((destination) => ({ pair: `${source.id} → ${destination.id}`, source, destination })),
  )

  it.each(pairs)('$pair: the timelocks are safe, also after the source has its confirmations', ({ source, destination }) => {
    expect(
      pairProblem(
        source,
        destination,
        assets.filter(({ chain }) => chain === source.id),
      ),
    ).toBe(null)
  })

  it.each(chains.map((chain) => ({ id: chain.id, chain })))('$id: as a destination it leaves time for the reveal', ({ chain }) => {
    const ofChain = assets.filter((asset) => asset.chain === chain.id)
    for (const required of confirmationsOf(chain, ofChain, 'destination')) {
      const slack = derivedRevealSlack(chain, required)
      // What a party checks at its start is what the derived state of an order says.
      expect(revealSlackSeconds(chain, required)).toBe(slack)
      expect(slack, `after ${required} confirmations`).toBeGreaterThan(0n)
      // One slow block does not use up the slack.
      if (countsHeight(chain.clock)) expect(slack).toBeGreaterThanOrEqual(maxSeconds(chain.clock, 1n))
    }
  })

  it.each(tiersOf(assets))('$id from $from: waits for $confirmations confirmations', ({ id, from, confirmations, previous }) => {
    const asset = assets.find((one) => one.id === id)
    if (asset === undefined) throw new Error(`${id} is missing`)
    const chain = find(chains, asset)
    expect(confirmations).toBeGreaterThan(0)
    expect(confirmations).toBeLessThanOrEqual(chain.finalityBlocks)
    expect(requiredConfirmations(chain, asset, from, 'source')).toBe(confirmations)
    expect(requiredConfirmations(chain, asset, from, 'destination')).toBe(Math.min(confirmations, chain.requiredConfirmations))
    if (previous === null) expect(from).toBe(0n)
    else {
      // Larger amounts need more confirmations, within the limits of the asset.
      expect(from).toBeGreaterThan(asset.minAmount)
      expect(from).toBeLessThanOrEqual(asset.maxAmount)
      expect(from).toBeGreaterThan(previous.from)
      expect(confirmations).toBeGreaterThan(previous.confirmations)
      expect(requiredConfirmations(chain, asset, from - 1n, 'source')).toBe(previous.confirmations)
    }
  })

  it.each(chains.map((chain) => ({ id: chain.id, chain })))('$id: takes partial deposits only on Bitcoin-like chains', ({ chain }) => {
    if (chain.family !== 'bitcoin') {
      expect(chain.deposits).toEqual({ kind: 'exact' })
      return
    }
    if (chain.deposits.kind !== 'partial') throw new Error(`${chain.id} takes one deposit only`)
    const { hopelessBelow, smallBelow, writeOffAfterUnits } = chain.deposits.small
    expect(chain.deposits.toleranceBips).toBe(300)
    // A refund has one input and one output: 133 vB. The relay limits are data of the network.
    const { minFeeRate, dustFeeRate } = networkOf(chain.reference)
    const dust = (98n * dustFeeRate) / 1000n
    expect(hopelessBelow).toBe((133n * minFeeRate) / 1000n + dust)
    expect(smallBelow).toBe(133n * 100n + dust)
    expect(writeOffAfterUnits * chain.blockMs).toBe(name === 'local' ? 40_000n : 30n * 24n * 3_600_000n)
    for (const asset of assets.filter((one) => one.chain === chain.id)) expect(asset.minAmount).toBeGreaterThan(hopelessBelow)
  })

  it('names clock exceptions only for test networks with an unreliable clock', () => {
    const exceptions = chains.filter((chain) => chain.clockException !== undefined).map(({ id }) => id)
    expect(exceptions).toEqual(name === 'testnet' ? ['alpen_signet', 'bitcoin_testnet', 'litecoin_testnet'] : [])
  })
})

describe('12 blocks as a destination timelock on Bitcoin', () => {
  it('with margins of an hour would never let the secret be shown', () => {
    const bitcoin = environments.mainnet.chains.find(({ id }) => id === 'bitcoin')
    if (bitcoin === undefined) throw new Error('bitcoin is missing')
    const margins = { claimSeconds: 3600n, reorgSeconds: 3600n, feeSpikeSeconds: 3600n }
    expect(derivedRevealSlack({ ...bitcoin, margins, timelocks: { source: 144n, destination: 12n } })).toBeLessThan(0n)
  })
})

describe.each(['mainnet', 'testnet'] as const)('the deployments of %s', (name) => {
  it('are sorted, and activate exactly the assets they name, among them those without a contract', async () => {
    const path = new URL(`./deployments/${name}.json`, import.meta.url)
    const deployments = JSON.parse(await readFile(path, 'utf8')) as Record<string, DeployedContracts>
    const { chains, assets } = environments[name]
    // One operator serves HyperEVM or HyperCore: they are one chain.
    const served = new Set(chains.map(({ id }) => id).filter((id) => id !== 'hypercore'))
    const registry = createRegistry({ chains, assets, deployments, served })
    const active = registry.assets.filter(({ deployment }) => deployment !== null).map(({ id }) => id)
    expect(active).toEqual(
      expect.arrayContaining(
        name === 'mainnet'
          ? ['bitcoin:btc', 'litecoin:ltc', 'xrpl:xrp']
          : ['bitcoin_testnet:btc', 'litecoin_testnet:ltc', 'xrpl_testnet:xrp'],
      ),
    )
    expect(Object.keys(deployments)).toEqual(active.toSorted())
  })
})

type TierRow = { id: string; from: bigint; confirmations: number; previous: ConfirmationTier | null }

function tiersOf(assets: readonly Asset[]): TierRow[] {
  return assets.flatMap(({ id, confirmationTiers = [] }) =>
    confirmationTiers.map((tier, i) => ({ id, ...tier, previous: confirmationTiers[i - 1] ?? null })),
  )
}

function find(chains: readonly Chain[], asset: Asset): Chain {
  const chain = chains.find(({ id }) => id === asset.chain)
  if (chain === undefined) throw new Error(`${asset.chain} is missing`)
  return chain
}
