/** Starts the local chain with our HTLC and funded parties, for the tests of this family. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import type { Key } from '@tandem/keys/key.ts'
import { createStarkKey } from '@tandem/keys/stark.ts'
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { FeltCall } from '@tandem/protocol/funding/felt-calls.ts'
import { hash, typedData as sdkTypedData } from 'starknet'
import { htlcClass } from '../contract/artifacts/htlc.ts'
import { type Felt, selectorOf } from '../contract/client/felt.ts'
import { UDC_ADDRESSES } from '../local/classes/udc.ts'
import { nonceKey } from '../local/execution/state.ts'
import { type FixtureAccount, openStarknetFixture, type StarknetFixture } from '../local/starknet.fixture.ts'
import { boundsFor, invokeFields, type RawCall, signHash } from '../local/transactions/invoke.ts'
import { readTransaction, signed } from '../local/transactions/wire-transaction.ts'
import { type Address, addressOfFelt, feltOf } from '../terms/address.ts'
import { type Contracts, createContracts, type HtlcContract } from '../terms/htlc.ts'
import { starknet } from './index.ts'

const PLENTY = { l1Gas: 0n, l1DataGas: 100_000n, l2Gas: 50_000_000n }

export type TestParty = FixtureAccount & { readonly key: Key<'stark'>; readonly account: Address }

export interface FamilyFixture {
  readonly devnet: StarknetFixture
  readonly chain: Chain
  readonly asset: Asset & { readonly deployment: Deployment }
  readonly contracts: Contracts
  readonly contract: HtlcContract
  readonly user: TestParty
  readonly solver: TestParty
  connect(options?: Partial<ConnectOptions>): ChainClient
  send(party: TestParty, calls: readonly FeltCall[]): void
  deployTwin(): Felt
  deployAccount(classHash: bigint, constructorCalldata: readonly bigint[], wbtc: bigint): Address
  executeAs(account: Address, calls: readonly FeltCall[], signatureOf: (hash: bigint) => readonly bigint[], tip?: bigint): void
  /** Wallets sign with starknet.js too: felts joined by commas. */
  sign(party: TestParty, typedData: unknown): string
  close(): Promise<void>
}

export async function createFamilyFixture(): Promise<FamilyFixture> {
  const chain = localChains.find(({ id }) => id === 'starknet_localnet')
  const known = localAssets.find(({ id }) => id === 'starknet_localnet:wbtc')
  if (chain === undefined || known === undefined) throw new Error('the local registry has no chain starknet_localnet with WBTC')
  const devnet = await openStarknetFixture({ chainId: chain.reference.replace(/^starknet:/, '') })
  const { node } = devnet.chain
  const [user, solver] = devnet.accounts.map(partyOf) as [TestParty, TestParty, TestParty]
  const asset = { ...known, deployment: { htlc: addressOfFelt(devnet.htlc), token: addressOfFelt(devnet.wbtc) } }
  const contracts = createContracts(chain, [asset])

  let salt = 0n
  function deploy(classHash: bigint, constructorCalldata: readonly bigint[]): Felt {
    salt += 1n
    const calldata = [classHash, salt, 0n, BigInt(constructorCalldata.length), ...constructorCalldata]
    solver.sender.execute([{ to: UDC_ADDRESSES[0], selector: BigInt(selectorOf('deploy_contract')), calldata }])
    return feltOf(hash.calculateContractAddressFromHash(salt, classHash, [...constructorCalldata], 0))
  }

  return {
    devnet,
    chain,
    asset,
    contracts,
    contract: contracts.of(asset.id),
    user,
    solver,
    connect: (options = {}) =>
      starknet.connect(chain, {
        assets: [asset],
        endpoints: { rpc: [devnet.url], ws: [devnet.chain.webSocketUrl] },
        relay: () => solver.key,
        ...options,
      }),
    send({ sender }, calls) {
      let nonce = node.ledger.state.get(nonceKey(sender.address))
      while (node.pool.at(sender.address, nonce) !== undefined) nonce += 1n
      node.submit(sender.invoke(calls.map(rawCall), { nonce }))
    },
    deployTwin: () => deploy(BigInt(htlcClass.classHash), [BigInt(devnet.wbtc)]),
    deployAccount(classHash, constructorCalldata, wbtc) {
      const account = deploy(classHash, constructorCalldata)
      devnet.fund(devnet.strk, account, 10n ** 21n)
      devnet.fund(devnet.wbtc, account, wbtc)
      return addressOfFelt(account)
    },
    executeAs(account, calls, signatureOf, tip = 0n) {
      const sender = BigInt(account)
      const bounds = boundsFor(PLENTY, node.nextBlock().prices)
      const nonce = node.ledger.state.get(nonceKey(sender))
      const fields = invokeFields({ sender, calls: calls.map(rawCall), nonce, tip, bounds })
      const transaction = readTransaction(fields, node.chain.chainId, () => {
        throw new Error('this transaction declares no class')
      })
      node.submit(signed(transaction, signatureOf(transaction.hash)))
      node.mine()
    },
    sign({ account, sender }, typedData) {
      const digest = sdkTypedData.getMessageHash(JSON.parse(JSON.stringify(typedData)), account)
      return signHash(sender.privateKey, BigInt(digest)).join(',')
    },
    close: devnet.close,
  }
}

function rawCall({ to, selector, calldata }: FeltCall): RawCall {
  return { to: BigInt(to), selector: BigInt(selector), calldata: calldata.map(BigInt) }
}

function partyOf(account: FixtureAccount): TestParty {
  const key = createStarkKey(account.privateKey.slice(2).padStart(64, '0'))
  return { ...account, key, account: addressOfFelt(account.address) }
}
