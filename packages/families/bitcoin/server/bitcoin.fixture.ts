/** Starts local chains of the Bitcoin family for tests, simulated or real, and the conformance fixture on top of them. */
import { randomBytes } from 'node:crypto'
import { schnorr } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { p2tr, p2wsh } from '@scure/btc-signer'
import type { ConformanceFixture } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import type { Conforming } from '@tandem/chain-kit/testing/conformance.ts'
import { localChains } from '@tandem/families/registry.ts'
import { createTestSigner, type TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { NodeName } from '../../../../test/nodes/packages.ts'
import { startRealChain as startNodeChain } from '../../../../test/nodes/real-chain.ts'
import { startBitcoinRegtest } from '../local/index.ts'
import { regtestNetworks } from '../local/network.ts'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { walletAddress } from '../terms/script/address.ts'
import { bitcoin } from './index.ts'
import { openTestProviders } from './nodes/test-providers.fixture.ts'
import { testWallet } from './script/bip322.fixture.ts'
import { bitcoinWays } from './strangers.fixture.ts'

export const regtest = networkOf('bitcoin:regtest')

export type Endpoints = Readonly<Record<string, readonly string[]>>

export interface TestChain {
  readonly chain: Chain
  readonly endpoints: Endpoints
  pay(address: string, amount: bigint): Promise<string>
  rpc<T>(method: string, params: readonly unknown[]): Promise<T>
  mine(blocks: number): Promise<void>
  reorg(depth: number, options: { readonly drop: boolean }): Promise<void>
  close(): Promise<void>
}

export type RegtestReference = 'bitcoin:regtest' | 'litecoin:regtest'

const realNodes: Readonly<Record<RegtestReference, NodeName>> = { 'bitcoin:regtest': 'bitcoind', 'litecoin:regtest': 'litecoind' }

export function regtestChain(reference: RegtestReference = 'bitcoin:regtest'): Chain {
  const chain = localChains.find((known) => known.reference === reference)
  if (chain === undefined) throw new Error(`the local registry has no ${reference}`)
  return chain
}

export function randomSigner(): TestSigner {
  return createTestSigner(randomBytes(32).toString('hex'))
}

export async function startSimulatedChain(reference: RegtestReference = 'bitcoin:regtest'): Promise<TestChain> {
  const simulated = regtestNetworks[reference]
  if (simulated === undefined) throw new Error(`${reference} cannot be simulated`)
  const node = await startBitcoinRegtest({ network: simulated })
  return {
    chain: regtestChain(reference),
    endpoints: { rpc: [node.rpcUrl], esplora: [node.esploraUrl] },
    pay: (address, amount) => node.faucet(address, amount),
    async rpc(method, params) {
      const response = await fetch(node.rpcUrl, { method: 'POST', body: JSON.stringify({ id: 1, method, params }) })
      const { result, error } = (await response.json()) as { result: never; error: { message: string } | null }
      if (error !== null) throw new Error(`${method}: ${error.message}`)
      return result
    },
    async mine(blocks) {
      node.mine(blocks)
    },
    async reorg(depth, { drop }) {
      node.reorg(depth, drop ? { dropTransactions: true } : {})
    },
    close: () => node.close(),
  }
}

/** Nodes drop unconfirmed transactions after two weeks. */
const MEMPOOL_EXPIRY_SECONDS = 15 * 24 * 3600

export async function startRealChain(reference: RegtestReference = 'bitcoin:regtest'): Promise<TestChain> {
  const { node, walletAddress: ownAddress, pay, mine, close } = await startNodeChain(realNodes[reference])
  /** A node drops expired transactions when a new one arrives, so the test sends one while the node's clock is set ahead. */
  const forgetMempool = async () => {
    await node.rpc('setmocktime', [Math.floor(Date.now() / 1000) + MEMPOOL_EXPIRY_SECONDS])
    await pay(ownAddress, 100_000n)
    await node.rpc('setmocktime', [0])
  }
  return {
    chain: regtestChain(reference),
    endpoints: { rpc: [node.rpcUrl] },
    pay,
    rpc: (method, params) => node.rpc(method, [...params]),
    mine,
    async reorg(depth, { drop }) {
      const height = await node.rpc<number>('getblockcount')
      await node.rpc('invalidateblock', [await node.rpc('getblockhash', [height - depth + 1])])
      if (drop) await forgetMempool()
      for (let i = 0; i <= depth; i++) await node.rpc('generateblock', [ownAddress, []])
    },
    close,
  }
}

export const conformingByIndex: Conforming = {
  family: bitcoin,
  abilities: [
    'branchEvents',
    'cancel',
    'transfer',
    'partialDeposits',
    'instantRefund',
    'cosignedRefund',
    'batchRedeem',
    'cosignedRedeem',
    'orderKeys',
    'inspectProviders',
    'unconfirmedEvents',
    'payoutFee',
    'legCost',
    'rescue',
  ],
}

/** Only Bitcoin Core notifies clients of new blocks. */
export const conforming: Conforming = { ...conformingByIndex, abilities: [...conformingByIndex.abilities, 'newBlocks'] }

const AMOUNT = 200_000n
const SOLVER_COINS = 12
const SOLVER_COIN_AMOUNT = 1_000_000n

export async function createConformanceFixture(testChain: TestChain, endpoints: Endpoints, quorum = 1): Promise<ConformanceFixture> {
  const { chain } = testChain
  const network = networkOf(chain.reference)
  const connect = () => bitcoin.connect(chain, { assets: [], endpoints, quorum })
  const client = connect()
  const secondClient = connect()
  const userKey = randomBytes(32).toString('hex')
  const user = createTestSigner(userKey)
  const solver = randomSigner()
  for (let i = 0; i < SOLVER_COINS; i++) await testChain.pay(client.addressOf(solver), SOLVER_COIN_AMOUNT)
  await testChain.mine(1)
  const segwit = walletAddress(user.publicKey, network)
  const esplora = testChain.endpoints.esplora?.[0]
  return {
    client,
    secondClient,
    asset: chain.nativeAsset,
    amount: AMOUNT,
    feeAllowance: 5_000n,
    timelock: 20n,
    termsAreUsedOnce: false,
    user,
    solver,
    addresses: {
      good: [
        { text: segwit, canonical: segwit },
        { text: segwit.toUpperCase(), canonical: segwit },
        { text: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', canonical: 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn' },
      ],
      wrongChecksum: [`${segwit.slice(0, -1)}${segwit.endsWith('q') ? 'p' : 'q'}`, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfm'],
      wrongNetwork: ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
      wrongLength: [segwit.slice(0, -4), 'mipcBbFg9gMiCh81Kj8tqqdgoZub', ''],
    },
    async fund(funding) {
      const { to, amount } = depositOf(funding)
      await testChain.pay(to, amount)
    },
    async underfund(_terms, funding) {
      await testChain.pay(depositOf(funding).to, AMOUNT - 1_000n)
    },
    async lookAlike(terms) {
      // These outputs have the same leaves under a known internal key, and the same script in another output type.
      const { redeem, refund, instantRefund } = htlcOf(terms, network)
      const tree = [{ script: redeem.script }, [{ script: refund.script }, { script: instantRefund.script }]] as const
      const spendable = p2tr(user.publicKey.subarray(1), [tree[0], [...tree[1]]], network, true)
      const wrapped = p2wsh({ type: 'unknown', script: redeem.script }, network)
      for (const { address } of [spendable, wrapped]) {
        if (address === undefined) throw new Error('a look-alike without an address')
        await testChain.pay(address, terms.amount)
      }
    },
    strangers: {
      open: async () => bitcoinWays(testChain, client),
      sdk: esplora === undefined ? null : { url: esplora, deployment: { htlc: null, token: null } },
    },
    mine: testChain.mine,
    reorg: testChain.reorg,
    expire: (terms) => testChain.mine(Number(terms.timelock)),
    providers: () => openTestProviders(chain, testChain.endpoints.rpc?.[0] ?? ''),
    replacesUnmined: network.replaces,
    signRefundHash: (hash) => `${bytesToHex(schnorr.sign(hexToBytes(hash), hexToBytes(userKey)))}83`,
    orderKeys: { privateKey: userKey, proveAddress: (_address, message) => testWallet('wpkh', userKey, network).sign(message) },
    rescueEndpoints: testChain.endpoints.rpc === undefined ? endpoints : { rpc: testChain.endpoints.rpc },
    async close() {
      await Promise.all([client.close(), secondClient.close()])
      await testChain.close()
    },
  }
}

function depositOf(funding: Funding): { readonly to: string; readonly amount: bigint } {
  if (funding.kind !== 'deposit') throw new Error(`a Bitcoin swap is funded by a deposit, not by ${funding.kind}`)
  return funding
}
