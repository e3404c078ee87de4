/** Starts a solver, a user and a node with manual mining, for tests of unconfirmed transactions. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFailureKind } from '@tandem/chain-kit/port/failure.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox, type MemoryOutbox, type OutboxFault } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import type { SwapState } from '@tandem/protocol/swap-state.ts'
import { expect } from 'vitest'
import { type BitcoinRegtest, startBitcoinRegtest } from '../../local/index.ts'
import { randomSigner, regtestChain } from '../bitcoin.fixture.ts'
import { bitcoin } from '../index.ts'
import { createCoreRpc } from '../nodes/core-rpc.ts'

export const chain = regtestChain()

export const failure = (kind: ChainFailureKind, message: RegExp = /./) =>
  expect.objectContaining({ name: 'ChainFailure', kind, message: expect.stringMatching(message) })

export interface Fixture {
  readonly node: BitcoinRegtest
  readonly client: ChainClient
  readonly solver: TestSigner
  readonly user: TestSigner
  readonly solverOutbox: MemoryOutbox
  readonly userOutbox: MemoryOutbox
  readonly secret: string
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
  terms(amount: bigint, timelock?: bigint): HtlcTerms
  fundSolver(...amounts: readonly bigint[]): Promise<readonly string[]>
  swapState(terms: HtlcTerms): Promise<SwapState>
  initiate(terms: HtlcTerms, key?: string, options?: { readonly fault?: OutboxFault }): Promise<string>
  mempool(): Promise<readonly string[]>
  unminedFee(tx: string): Promise<{ readonly fee: bigint; readonly vsize: bigint }>
}

export async function startFixture(endpoint: 'rpc' | 'esplora'): Promise<Fixture> {
  const node = await startBitcoinRegtest({ premineBlocks: 110 })
  const client = bitcoin.connect(chain, { assets: [], endpoints: { [endpoint]: [endpoint === 'rpc' ? node.rpcUrl : node.esploraUrl] } })
  const solver = randomSigner()
  const user = randomSigner()
  const solverOutbox = createMemoryOutbox(solver)
  const secret = createSecret()
  const from = BigInt(node.height) + 1n
  const rpc = <T>(method: string, ...params: readonly unknown[]) =>
    createCoreRpc(createProviderHttp(node.rpcUrl)).call(method, params) as Promise<T>
  return {
    node,
    client,
    solver,
    user,
    solverOutbox,
    userOutbox: createMemoryOutbox(user),
    secret,
    rpc,
    terms: (amount, timelock = 20n) => ({
      asset: chain.nativeAsset,
      initiator: client.identityOf(solver),
      redeemer: client.identityOf(user),
      amount,
      secretHash: hashSecret(secret),
      timelock,
    }),
    async fundSolver(...amounts) {
      const txids = []
      for (const amount of amounts) txids.push(await node.faucet(client.addressOf(solver), amount))
      node.mine(1)
      return txids
    },
    swapState: async (terms) => (await readSwap(client, terms, from)).swap,
    initiate: (terms, key = 'initiate', options = {}) => client.initiate(terms, solverOutbox.open(key, options)),
    mempool: () => rpc('getrawmempool'),
    async unminedFee(tx) {
      const { fees, vsize } = await rpc<{ fees: { base: number }; vsize: number }>('getmempoolentry', tx)
      return { fee: BigInt(Math.round(fees.base * 1e8)), vsize: BigInt(vsize) }
    },
  }
}
