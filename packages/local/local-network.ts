/** The chains of the local stack run in this process, with contracts deployed and a faucet for each. */

import type { LocalBalances, LocalChain, LocalChainJson, LocalFamily, LocalMining } from '@tandem/chain-kit/local/local-chain.ts'
import { familyNamed } from '@tandem/families/index.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import { environments, localAssets, localChains } from '@tandem/families/registry.ts'
import type { Curve } from '@tandem/keys/key.ts'
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Environment } from '@tandem/protocol/registry/environment.ts'
import type { LocalKeys, PrivateKeys } from './local-keys.ts'

export type LocalNetwork = {
  /** All local chains and assets, and those that were added. */
  readonly rows: Environment
  readonly chains: readonly ChainId[]
  readonly curves: ReadonlySet<Curve>
  readonly endpoints: Readonly<Record<ChainId, { readonly endpoints: Readonly<Record<string, string>> }>>
  readonly deployments: Readonly<Record<AssetId, Deployment>>
  readonly distributors: readonly ChainId[]
  /** Payouts on these chains can also give some of the chain's coin. */
  readonly gasGivers: readonly ChainId[]
  /** The prices are in US dollars per whole coin. */
  readonly prices: Readonly<Record<AssetId, string>>
  readonly descriptions: Readonly<Record<ChainId, LocalChainJson>>
  balances(asset: Asset): LocalBalances
  fund(asset: string, address: string, amount: bigint): Promise<string>
  fundGas(chain: ChainId, address: string): Promise<void>
  openAccount(chain: ChainId, keys: PrivateKeys): Promise<void>
  confirmFunding(): Promise<void>
  passTime(chain: ChainId, units: number): Promise<void>
  control<Control>(chain: ChainId, family: LocalFamily<Control>): Control
  close(): Promise<void>
}

export type LocalNetworkOptions = {
  readonly chains: readonly Chain[]
  readonly mining: LocalMining
  /** The default is the registry's own. */
  readonly rows?: Environment
  /** These chains run already. The network closes them with the others. */
  readonly running?: Readonly<Record<ChainId, LocalChain>>
}

type Entry = {
  readonly chain: Chain
  readonly family: LocalFamily
  readonly curve: Curve
  readonly local: LocalChain
  readonly assets: readonly Asset[]
  readonly isOurs: boolean
}

/** A payout gives coin beside a token, so a token must be deployed. */
const givesGas = (entry: Entry): boolean =>
  entry.local.givesGas === true && Object.values(deploymentsOf(entry)).some(({ token }) => token !== null)

export async function startLocalNetwork(keys: Pick<LocalKeys, 'faucet' | 'claims'>, options: LocalNetworkOptions): Promise<LocalNetwork> {
  const { rows = environments.local } = options
  const started = await Promise.allSettled(options.chains.map((chain) => startOne(chain, keys, rows, options)))
  const entries = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const close = async () => void (await Promise.all(entries.map(({ local }) => local.close())))
  const failure = started.find((result) => result.status === 'rejected')
  if (failure !== undefined) {
    await close()
    throw failure.reason
  }
  const find = (id: ChainId) => entries.find(({ chain }) => chain.id === id)
  const byChain = <T>(describe: (entry: Entry) => T): Readonly<Record<ChainId, T>> =>
    Object.fromEntries(entries.map((entry) => [entry.chain.id, describe(entry)]))

  return {
    rows,
    chains: entries.map(({ chain }) => chain.id),
    curves: new Set(entries.map(({ curve }) => curve)),
    endpoints: byChain(({ local: { endpoints } }) => ({ endpoints })),
    deployments: Object.assign({}, ...entries.map(deploymentsOf)),
    distributors: entries.filter(({ local }) => local.paysAffiliates === true).map(({ chain }) => chain.id),
    gasGivers: entries.filter(givesGas).map(({ chain }) => chain.id),
    prices: Object.assign({}, ...entries.map(pricesOf)),
    descriptions: byChain(describeChain),
    balances(asset) {
      const entry = find(asset.chain)
      if (entry === undefined) throw new Error(`${asset.chain} does not run`)
      return entry.family.balances(asset)
    },
    async fund(id, address, amount) {
      const fundCoin = entries.find(({ chain }) => chain.nativeAsset === id)?.local.fundCoin
      if (fundCoin !== undefined) return fundCoin(address, amount)
      const asset = rows.assets.find((known) => known.id === id)
      const entry = asset === undefined ? undefined : find(asset.chain)
      if (asset === undefined || entry === undefined) throw new TandemError('bad_request', `the faucet has no "${id}"`)
      return entry.local.fund(asset, address, amount)
    },
    async fundGas(id, address) {
      await find(id)?.local.fundGas?.(address)
    },
    async openAccount(id, keys) {
      const entry = find(id)
      if (entry !== undefined) await entry.local.openAccount?.(keys[entry.curve])
    },
    async confirmFunding() {
      await Promise.all(entries.map(({ local }) => local.confirmFunding?.()))
    },
    async passTime(id, units) {
      const entry = find(id)
      if (entry === undefined) throw new TandemError('bad_request', `there is no chain "${id}" here`)
      await entry.family.openWallet(describeChain(entry), keys.faucet[entry.curve]).passTime(units)
    },
    control<Control>(id: ChainId, family: LocalFamily<Control>): Control {
      const entry = find(id)
      if (entry === undefined || !entry.isOurs || entry.family !== family)
        throw new Error(`this network did not start ${id} as a chain of the family ${family.name}`)
      // This family started the chain, so its control has this type.
      return entry.local.control as Control
    },
    close,
  }
}

async function startOne(
  chain: Chain,
  { faucet, claims }: Pick<LocalKeys, 'faucet' | 'claims'>,
  rows: Environment,
  { mining, running }: LocalNetworkOptions,
): Promise<Entry> {
  const family = await loadLocalFamily(chain.family)
  const { curve } = familyNamed(chain.family)
  const given = running?.[chain.id]
  const local = given ?? (await family.start(chain, { faucetKey: faucet[curve], claimsKey: claims[curve], mining }))
  return { chain, family, curve, local, assets: rows.assets.filter((asset) => asset.chain === chain.id), isOurs: given === undefined }
}

/** A family deploys tokens that an added chain does not list. */
function deploymentsOf({ local, assets }: Entry): Readonly<Record<AssetId, Deployment>> {
  return Object.fromEntries(Object.entries(local.deployments).filter(([id]) => assets.some((asset) => asset.id === id)))
}

/** The coin that pays fees has a price too. Whoever adds an asset gives it a price. */
function pricesOf({ chain, family, assets }: Entry): Readonly<Record<AssetId, string>> {
  const coin = { id: chain.nativeAsset, symbol: chain.nativeAsset.slice(chain.nativeAsset.indexOf(':') + 1).toUpperCase() }
  const isOurs = (id: string) => localChains.some(({ nativeAsset }) => nativeAsset === id) || localAssets.some((asset) => asset.id === id)
  return Object.fromEntries(
    [coin, ...assets]
      .filter(({ id }) => isOurs(id))
      .map(({ id, symbol }) => {
        const price = family.prices[symbol]
        if (price === undefined) throw new Error(`the local family ${family.name} has no price of ${symbol}`)
        return [id, price]
      }),
  )
}

function describeChain({ chain, local, assets }: Entry): LocalChainJson {
  const contracts = assets.map(({ id }) => {
    const { token = null, htlc = null } = local.deployments[id] ?? {}
    return [id, { ...(token !== null && { token }), ...(htlc !== null && { htlc }) }]
  })
  return { family: chain.family, network: chain.reference, ...local.details, assets: Object.fromEntries(contracts) }
}
