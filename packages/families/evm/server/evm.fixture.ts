/** Starts a local chain with our contracts and funded parties, for the tests of this family. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createTestSigner, type TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { Asset, AssetId, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { testToken } from '../contract/artifacts/test-token.ts'
import { type EvmChain, startEvmChain } from '../local/evm-chain.ts'
import { createEvmSender, type EvmSender } from '../local/evm-sender.ts'
import { deployLocalContracts, type LocalContracts } from '../local/local-contracts.ts'
import { evm } from './index.ts'

export type TestParty = { readonly signer: TestSigner; readonly account: PrivateKeyAccount; readonly address: Address }

export interface ChainControls {
  deploy(artifact: { readonly abi: Abi; readonly bytecode: Hex }, args?: readonly unknown[]): Promise<Address>
  mine(blocks?: number): Promise<void>
  passSeconds(seconds: bigint): Promise<void>
}

export interface EvmFixture extends ChainControls {
  readonly local: EvmChain
  readonly chain: Chain
  readonly contracts: LocalContracts
  readonly deployer: EvmSender
  readonly user: TestParty
  readonly solver: TestParty
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  connect(options?: Partial<ConnectOptions> & { readonly chain?: Chain }): ChainClient
  sendAs(party: TestParty, transaction: { to: Address; data?: Hex; value?: bigint; gas?: bigint }): Promise<void>
  close(): Promise<void>
}

const FUNDS = 10n ** 15n

export async function createEvmFixture(): Promise<EvmFixture> {
  const chain = localChains.find((known) => known.reference === 'evm:31337')
  if (chain === undefined) throw new Error('the local registry has no chain evm:31337')
  const deployerKey = generatePrivateKey()
  const userKey = generatePrivateKey()
  const solverKey = generatePrivateKey()
  const local = await startEvmChain({ chainId: 31337, keys: [deployerKey, userKey, solverKey], mining: { kind: 'manual' } })
  const contracts = await deployLocalContracts(local, deployerKey)
  const deployer = createEvmSender(local, deployerKey)
  const user = partyOf(userKey)
  const solver = partyOf(solverKey)
  const mint = (token: Address, to: Address) => ({
    to: token,
    data: encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [to, FUNDS] }),
  })
  const { wbtc, usdc } = contracts.tokens
  await deployer.send([wbtc, usdc].flatMap((token) => [mint(token, user.address), mint(token, solver.address)]))
  const assets = localAssets
    .filter((asset) => asset.chain === chain.id)
    .map((asset) => ({ ...asset, deployment: deploymentOf(asset.id, contracts) }))

  return {
    local,
    chain,
    contracts,
    deployer,
    user,
    solver,
    assets,
    connect: ({ chain: at = chain, ...options } = {}) =>
      evm.connect(at, { assets, endpoints: { rpc: [local.rpcUrl], ws: [local.webSocketUrl] }, ...options }),
    async sendAs({ account, address }, { gas = 500_000n, ...call }) {
      const nonce = Number(await local.request({ method: 'eth_getTransactionCount', params: [address, 'pending'] }))
      const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
      const raw = await account.signTransaction({ type: 'eip1559', chainId: 31337, nonce, gas, ...fees, ...call })
      await local.request({ method: 'eth_sendRawTransaction', params: [raw] })
    },
    ...controlsOf(local, deployer),
    close: () => local.close(),
  }
}

export function controlsOf(local: Pick<EvmChain, 'request'>, deployer: EvmSender, gas?: bigint): ChainControls {
  const mine = async (blocks = 1) => {
    for (let mined = 0; mined < blocks; mined += 1) await local.request({ method: 'evm_mine' })
  }
  return {
    async deploy({ abi, bytecode }, args = []) {
      const data = encodeDeployData({ abi, bytecode, args })
      const [receipt] = await deployer.send([{ data, ...(gas !== undefined && { gas }) }])
      if (!receipt?.contractAddress) throw new Error('the receipt of a deployment has no contract address')
      return receipt.contractAddress.toLowerCase() as Address
    },
    mine,
    async passSeconds(seconds) {
      await local.request({ method: 'evm_increaseTime', params: [numberToHex(seconds)] })
      await mine()
    },
  }
}

export function partyOf(key: Hex): TestParty {
  const account = privateKeyToAccount(key)
  return { signer: createTestSigner(key), account, address: account.address.toLowerCase() as Address }
}

function deploymentOf(asset: AssetId, { tokens, htlcs }: LocalContracts): Deployment {
  if (asset.endsWith(':wbtc')) return { htlc: htlcs.wbtc, token: tokens.wbtc }
  if (asset.endsWith(':usdc')) return { htlc: htlcs.usdc, token: tokens.usdc }
  return { htlc: htlcs.native, token: null }
}
