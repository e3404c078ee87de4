/** Starts the local chain with our HTLC and funded parties, for the tests of this family. */
import { Transaction } from '@mysten/sui/transactions'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { createRegistry } from '../local/local-contracts.ts'
import { type FixtureAccount, openSuiFixture, SUI, type SuiFixture, USDC } from '../local/sui.fixture.ts'
import { type Address, parseAddress } from '../terms/address.ts'
import { type Contracts, createContracts } from '../terms/htlc.ts'
import type { Deployed } from './deployments.ts'
import { sui } from './index.ts'

export type TestParty = Pick<FixtureAccount, 'keypair'> & { readonly key: Key<'ed25519'>; readonly address: Address }

export interface FamilyFixture {
  readonly devnet: SuiFixture
  readonly chain: Chain
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  readonly contracts: Contracts
  readonly user: TestParty
  readonly solver: TestParty
  assetNamed(id: AssetId): Asset & { readonly deployment: Deployment }
  deployedOf(id: AssetId): Deployed
  connect(options?: Partial<ConnectOptions>): ChainClient
  /** The party sends with the SDK like a wallet, also if the transaction will fail. Nothing is mined. Resolves to whether it succeeded. */
  execute(party: TestParty, transaction: Transaction): Promise<boolean>
  createTwin(id: AssetId): Promise<Deployed>
  close(): Promise<void>
}

/** There are enough coins for all concurrent actions of a test. */
const COINS = 12
const GAS_BUDGET = 50_000_000n

export async function createFamilyFixture(): Promise<FamilyFixture> {
  const chain = localChains.find(({ id }) => id === 'sui_localnet')
  if (chain === undefined) throw new Error('the local registry has no chain sui_localnet')
  const devnet = await openSuiFixture()
  const [first, second] = devnet.accounts
  const [user, solver] = [partyOf(first), partyOf(second)]
  for (const { address } of [user, solver]) {
    await devnet.fund(devnet.htlcs.sui.coinType, address, ...Array.from({ length: COINS }, () => 100n * SUI))
    await devnet.fund(devnet.htlcs.usdc.coinType, address, ...Array.from({ length: COINS }, () => 1000n * USDC))
  }
  devnet.chain.mine()
  const registries = { 'sui_localnet:sui': devnet.htlcs.sui, 'sui_localnet:usdc': devnet.htlcs.usdc } as const
  const assets = localAssets
    .filter((asset) => asset.chain === chain.id)
    .map((asset) => {
      const { registry, coinType } = registries[asset.id as keyof typeof registries]
      return { ...asset, deployment: { htlc: parseAddress(registry), token: asset.tokenSchema === null ? null : coinType } }
    })
  const contracts = createContracts(chain, assets)
  const withPackage = (id: AssetId, registry: { readonly id: string; readonly initialSharedVersion: string }): Deployed => ({
    ...contracts.of(id),
    packageId: parseAddress(devnet.packageId),
    registry: parseAddress(registry.id),
    initialSharedVersion: registry.initialSharedVersion,
  })

  return {
    devnet,
    chain,
    assets,
    contracts,
    user,
    solver,
    assetNamed(id) {
      const asset = assets.find((one) => one.id === id)
      if (asset === undefined) throw new Error(`the local registry has no asset ${id}`)
      return asset
    },
    deployedOf(id) {
      const { registry, initialSharedVersion } = registries[id as keyof typeof registries]
      return withPackage(id, { id: registry, initialSharedVersion })
    },
    connect: (options = {}) => sui.connect(chain, { assets, endpoints: { rpc: [devnet.url] }, ...options }),
    async execute({ keypair, address }, transaction) {
      const tx = Transaction.from(transaction)
      tx.setSender(address)
      tx.setGasPrice((await devnet.client.getReferenceGasPrice()).referenceGasPrice)
      tx.setGasBudget(GAS_BUDGET)
      const { objects } = await devnet.client.listCoins({ owner: address })
      tx.setGasPayment(objects.slice(0, 1))
      const sent = await keypair.signAndExecuteTransaction({ transaction: tx, client: devnet.client })
      return sent.$kind === 'Transaction'
    },
    async createTwin(id) {
      const twin = await createRegistry(devnet.faucet.sender, devnet.packageId, contracts.of(id).coinType)
      devnet.chain.mine()
      return withPackage(id, twin)
    },
    close: devnet.close,
  }
}

function partyOf({ privateKey, address, keypair }: FixtureAccount): TestParty {
  return { keypair, key: createEd25519Key(privateKey), address: parseAddress(address) }
}
