/** Starts a solver that redeems deposits of many orders, on a chain with manual mining, simulated or real. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createProviderHttp } from '@tandem/chain-kit/providers/http.ts'
import { createMemoryOutbox, type MemoryOutbox, opened } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import type { TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { htlcOf } from '../../terms/htlc.ts'
import { networkOf } from '../../terms/networks.ts'
import { type Endpoints, randomSigner, type TestChain } from '../bitcoin.fixture.ts'
import { type BlocksSince, createBlocksSince } from '../blocks/blocks-since.ts'
import { batchRedeemOf, cosignedRedeemOf } from '../cosign/cosign.fixture.ts'
import type { Execution } from '../execution.ts'
import { bitcoin } from '../index.ts'
import type { BitcoinBackend } from '../nodes/backend.ts'
import { createCoreBackend, createCoreRpc } from '../nodes/core-rpc.ts'
import { parseTransaction } from '../script/transaction.ts'

export type FundedOrder = RedeemItem & { readonly initiator: TestSigner }

export interface SpendFixture {
  readonly chain: TestChain
  readonly client: ChainClient
  readonly solver: TestSigner
  readonly outbox: MemoryOutbox
  rpc<T>(method: string, ...params: readonly unknown[]): Promise<T>
  fund(...amounts: readonly (readonly bigint[])[]): Promise<readonly FundedOrder[]>
  redeem(
    key: string,
    items: readonly FundedOrder[],
    options?: { readonly cosigned?: string; readonly secondsLeft?: bigint },
  ): Promise<string>
  execution(
    key: string,
    over?: Partial<Execution> & { readonly secondsLeft?: bigint; readonly answers?: Partial<BitcoinBackend> },
  ): Execution
  letWait(): void
  mempool(): Promise<readonly string[]>
  entry(tx: string): Promise<{ readonly fee: bigint; readonly vsize: bigint; readonly ancestorFee: bigint; readonly ancestorVsize: bigint }>
  walletBalance(): Promise<bigint>
  close(): Promise<void>
}

const TIMELOCK = 6n

export async function startSpendFixture(chain: TestChain, endpoints: Endpoints): Promise<SpendFixture> {
  const client = bitcoin.connect(chain.chain, { assets: [], endpoints })
  const network = networkOf(chain.chain.reference)
  const solver = randomSigner()
  const outbox = createMemoryOutbox(solver)
  const rpcUrl = chain.endpoints.rpc?.[0] ?? ''
  const node = createCoreBackend(rpcUrl, network)
  const blocks: BlocksSince = createBlocksSince(node)
  const rpc = <T>(method: string, ...params: readonly unknown[]) =>
    createCoreRpc(createProviderHttp(rpcUrl)).call(method, params) as Promise<T>

  const newOrder = (amount: bigint): FundedOrder => {
    const secret = createSecret()
    const initiator = randomSigner()
    const terms: HtlcTerms = {
      asset: chain.chain.nativeAsset,
      initiator: client.identityOf(initiator),
      redeemer: client.identityOf(solver),
      amount,
      secretHash: hashSecret(secret),
      timelock: TIMELOCK,
    }
    return { terms, secret, initiator, deposits: [] }
  }
  const payTo = async (terms: HtlcTerms, amount: bigint) => {
    const txid = await chain.pay(client.swapId(terms), amount)
    const { outputs } = parseTransaction(await rpc<string>('getrawtransaction', txid))
    const script = bytesToHex(htlcOf(terms, network).script)
    return { id: `${txid}:${outputs.findIndex((output) => bytesToHex(output.script) === script)}`, amount }
  }

  return {
    chain,
    client,
    solver,
    outbox,
    rpc,
    async fund(...amounts) {
      const orders: FundedOrder[] = []
      for (const each of amounts) {
        const order = newOrder(each.reduce((sum, amount) => sum + amount, 0n))
        const deposits = []
        for (const amount of each) deposits.push(await payTo(order.terms, amount))
        orders.push({ ...order, deposits })
      }
      await chain.mine(1)
      return orders
    },
    redeem: (key, items, { cosigned = null, ...options }: { cosigned?: string | null; secondsLeft?: bigint } = {}) =>
      cosigned === null
        ? batchRedeemOf(client).redeem(items, outbox.open(key, options))
        : cosignedRedeemOf(client).send(items, cosigned, outbox.open(key, options)),
    execution: (key, { secondsLeft, answers = {}, ...over } = {}) => ({
      chain: chain.chain,
      network,
      backend: { ...node, ...answers },
      ...opened(outbox.open(key, secondsLeft === undefined ? {} : { secondsLeft })),
      feeRate: async () => 2_000n,
      blocks,
      ...over,
    }),
    letWait: () => outbox.passSeconds(chain.chain.feeBumpSeconds),
    mempool: async () => (await rpc<string[]>('getrawmempool')).sort(),
    async entry(tx) {
      const { fees, vsize, ancestorsize } = await rpc<{
        fees: { base: number; ancestor: number }
        vsize: number
        ancestorsize: number
      }>('getmempoolentry', tx)
      const satoshis = (coins: number) => BigInt(Math.round(coins * 1e8))
      return {
        fee: satoshis(fees.base),
        vsize: BigInt(vsize),
        ancestorFee: satoshis(fees.ancestor),
        ancestorVsize: BigInt(ancestorsize),
      }
    },
    walletBalance: () => client.balance(chain.chain.nativeAsset, client.addressOf(solver)),
    async close() {
      await client.close()
      await chain.close()
    },
  }
}
