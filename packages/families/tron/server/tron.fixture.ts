/** Starts the Tron simulator with our contracts and funded parties, for the tests of this family. Wallets are plain TronWeb. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createTestSigner, type TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { Asset, Deployment } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Call } from '@tandem/protocol/funding/calls.ts'
import type { TronWeb } from 'tronweb'
import { encodeFunctionData, type Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { deployLocalTronContracts, type LocalTronContracts } from '../local/local-tron-contracts.ts'
import { startTronChain, type TronChain } from '../local/tron-chain.ts'
import { createTronSender, type TronSender } from '../local/tron-sender.ts'
import { openTronWeb } from '../local/tron-web.ts'
import { toEvmAddress } from '../terms/address.ts'
import { tron } from './index.ts'

export type TestParty = { readonly key: Hex; readonly signer: TestSigner; readonly address: string; readonly wallet: TronWeb }

export interface TronFixture {
  readonly local: TronChain
  readonly chain: Chain
  readonly contracts: LocalTronContracts
  /** The deployer mines at once. It sends transactions that do not go through the client. */
  readonly deployer: TronSender
  readonly user: TestParty
  readonly solver: TestParty
  readonly assets: readonly (Asset & { readonly deployment: Deployment })[]
  connect(options?: Partial<ConnectOptions> & { readonly chain?: Chain }): ChainClient
  /** A wallet sends like this, without mining. Resolves to the id. */
  sendAs(party: TestParty, call: Pick<Call, 'to' | 'data'> & { readonly gasLimit?: bigint }): Promise<string>
  close(): Promise<void>
}

const WEALTH = 10n ** 13n
const WEALTH_SUN = 10n ** 12n

export async function createTronFixture(options: { readonly returnsRevertData?: boolean } = {}): Promise<TronFixture> {
  const chain = localChains.find((known) => known.id === 'tron_localnet')
  if (chain === undefined) throw new Error('the local registry has no chain tron_localnet')
  const [deployerKey, userKey, solverKey] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
  const keys = [deployerKey, userKey, solverKey]
  const local = await startTronChain({ chainId: Number(chain.reference.split(':')[1]), keys, mining: { kind: 'manual' }, ...options })
  const deployer = createTronSender(local, deployerKey)
  const contracts = await deployLocalTronContracts(deployer)
  const [user, solver] = [party(local, userKey), party(local, solverKey)]
  const { usdt, wbtc } = contracts.tokens
  for (const { address } of [user, solver]) {
    await deployer.transfer(address, WEALTH_SUN)
    for (const token of [usdt, wbtc])
      await deployer.call(token, encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [toEvmAddress(address), WEALTH] }))
  }
  const assets = localAssets
    .filter((asset) => asset.chain === chain.id)
    .map((asset) => {
      const name = asset.symbol === 'WBTC' ? 'wbtc' : 'usdt'
      return { ...asset, deployment: { htlc: contracts.htlcs[name], token: contracts.tokens[name] } }
    })

  return {
    local,
    chain,
    contracts,
    deployer,
    user,
    solver,
    assets,
    connect: ({ chain: at = chain, ...options } = {}) => tron.connect(at, { assets, endpoints: { rpc: [local.url] }, ...options }),
    async sendAs({ wallet, address }, { to, data, gasLimit = 500_000_000n }) {
      const options = { input: data.slice(2), feeLimit: Number(gasLimit) }
      const { transaction } = await wallet.transactionBuilder.triggerSmartContract(to, '', options, [], address)
      const signed = await wallet.trx.sign(transaction)
      const answer = await wallet.trx.sendRawTransaction(signed)
      if (!answer.result) throw new Error(`the node refused a transaction: ${answer.code}`)
      return signed.txID
    },
    close: () => local.close(),
  }
}

function party(chain: TronChain, key: Hex): TestParty {
  const wallet = openTronWeb(chain.url, key.slice(2))
  const { base58 } = wallet.defaultAddress
  if (base58 === false) throw new Error('TronWeb made no address of the key')
  return { key, signer: createTestSigner(key), address: base58, wallet }
}
