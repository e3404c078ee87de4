// Compares our JSON-RPC with a real bitcoind on the same chain: same fields, same values, same errors, same mempool decisions.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CoreNode, startCoreNode } from '../../../../../test/nodes/core-node.ts'
import { describeWithNode } from '../../../../../test/nodes/describe-with-node.ts'
import { encodeAddress } from '../address.ts'
import { serializeBlock } from '../chain/block.ts'
import type { BlockNode } from '../chain/block-node.ts'
import { bitcoinRegtest } from '../network.ts'
import { createRpcCaller, type RpcCaller } from '../testing/rpc-caller.ts'
import { keyOf, outputOf, ownerScript, p2pkhScript, p2wshScript, payment, script, split } from '../testing/spend.ts'
import { createTestChain, type FundedCoin, type TestChain } from '../testing/test-chain.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { toHex } from '../wire/bytes.ts'

/** Knots adds these fields to the answers of Bitcoin Core. */
const KNOTS_FIELDS =
  /\.(txcount|header_version|currentpriority|startingpriority|rbf_policy|truc_policy|dustrelayfee|dustrelayfeefloor|dustdynamic)$|^\.result(\.[0-9a-f]{64})?\.(hash|size)$|^\.result\[\d+\]\.usage$/
/** These values depend on the moment or on the machine, so only their types are compared. */
const OWN_VALUES = new Set([
  'time',
  'usage',
  'size_on_disk',
  'unbroadcast',
  'unbroadcastcount',
  'initialblockdownload',
  'warnings',
  'reject-details',
  'error',
  'error_locations',
  'total_fee',
  'maxmempool',
])

function differences(ours: unknown, theirs: unknown, path = ''): string[] {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return [`${path}: ${ours.length} elements, theirs ${theirs.length}`]
    return ours.flatMap((each, i) => differences(each, theirs[i], `${path}[${i}]`))
  }
  if (typeof ours === 'object' && typeof theirs === 'object' && ours !== null && theirs !== null) {
    const [a, b] = [new Map(Object.entries(ours)), new Map(Object.entries(theirs))]
    const missing = [...b.keys()]
      .filter((key) => !a.has(key) && !KNOTS_FIELDS.test(`${path}.${key}`))
      .map((key) => `${path}.${key}: missing in ours`)
    const invented = [...a.keys()].filter((key) => !b.has(key)).map((key) => `${path}.${key}: missing in theirs`)
    const shared = [...a.keys()].filter((key) => b.has(key))
    const values = shared.flatMap((key) =>
      OWN_VALUES.has(key)
        ? typeof a.get(key) === typeof b.get(key)
          ? []
          : [`${path}.${key}: another type`]
        : differences(a.get(key), b.get(key), `${path}.${key}`),
    )
    return [...missing, ...invented, ...values]
  }
  return Object.is(ours, theirs) ? [] : [`${path}: ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`]
}

await describeWithNode('bitcoind', 'JSON-RPC of our node and of a real bitcoind', () => {
  let bitcoind: CoreNode
  let chain: TestChain
  let ours: RpcCaller
  let coins: FundedCoin[]
  let mirrored = 0

  async function mirror(): Promise<void> {
    for (; mirrored < chain.node.chain.tip().height; mirrored++) {
      const block = (chain.node.chain.at(mirrored + 1) as BlockNode).block
      expect(await bitcoind.rpc('submitblock', [toHex(serializeBlock(block))])).toBeNull()
    }
    expect(await bitcoind.rpc('getbestblockhash')).toBe(chain.node.chain.tip().block.hash)
  }

  async function outcome(call: () => unknown): Promise<unknown> {
    try {
      return { result: await call() }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error)
      const theirs = /\((-\d+)\)$/.exec(text)
      return { code: Number(theirs?.[1] ?? /^(-\d+):/.exec(text)?.[1]) }
    }
  }

  async function expectSame(method: string, ...params: unknown[]): Promise<void> {
    const own = await outcome(() => ours.call(method, params))
    const real = await outcome(() => bitcoind.rpc(method, params))
    expect(differences(own, real), `${method} ${JSON.stringify(params).slice(0, 200)}`).toEqual([])
  }

  async function sendBoth(transaction: Transaction): Promise<void> {
    await expectSame('testmempoolaccept', [toHex(transaction.raw)])
    await expectSame('sendrawtransaction', toHex(transaction.raw))
  }

  const nextCoin = () => coins.shift() as FundedCoin
  const tipHash = () => chain.node.chain.tip().block.hash

  beforeAll(async () => {
    bitcoind = await startCoreNode('bitcoind')
    const { minrelaytxfee } = await bitcoind.rpc<{ minrelaytxfee: number }>('getmempoolinfo')
    chain = createTestChain({ minRelaySatsPerKvb: BigInt(Math.round(minrelaytxfee * 1e8)) })
    ours = createRpcCaller(chain.node)
    coins = chain.fund(Array.from({ length: 20 }, () => ownerScript))
    await mirror()
  })
  afterAll(async () => {
    await bitcoind.stop()
  })

  it('shows transactions alike, unconfirmed and confirmed', async () => {
    const outputs = [
      { amount: 100_000n, script: ownerScript },
      { amount: 100_001n, script: p2wshScript(ownerScript) },
      { amount: 100_002n, script: script('OP_1', keyOf('x').xOnly) },
      { amount: 100_003n, script: p2pkhScript(keyOf('x').compressed) },
      { amount: 0n, script: script('RETURN', Uint8Array.of(1, 2, 3)) },
    ]
    const transaction = payment([nextCoin()], { outputs })
    const child = payment([outputOf(transaction)])
    await sendBoth(transaction)
    await sendBoth(child)
    const { txid } = transaction
    for (const verbosity of [0, 1, 2]) await expectSame('getrawtransaction', txid, verbosity)
    await expectSame('getmempoolentry', txid)
    await expectSame('getmempoolentry', child.txid)
    await expectSame('getrawmempool')
    await expectSame('getrawmempool', true)
    await expectSame('gettxspendingprevout', [
      { txid, vout: 0 },
      { txid, vout: 1 },
    ])
    await expectSame('gettxout', txid, 0)
    await expectSame('gettxout', txid, 1)
    await expectSame('gettxout', txid, 1, false)
    await expectSame('sendrawtransaction', toHex(transaction.raw))
    await expectSame('decoderawtransaction', toHex(transaction.raw))
    chain.mine(1)
    await mirror()
    for (const verbosity of [0, 1, 2, 3]) await expectSame('getblock', tipHash(), verbosity)
    for (const verbosity of [0, 1, 2]) await expectSame('getrawtransaction', txid, verbosity)
    await expectSame('getrawtransaction', txid, 1, tipHash())
    await expectSame('gettxout', txid, 1)
    await expectSame('gettxout', txid, 4)
    await expectSame('getmempoolentry', txid)
    await expectSame('sendrawtransaction', toHex(transaction.raw))
    await expectSame('testmempoolaccept', [toHex(transaction.raw)])
    await expectSame('scantxoutset', 'start', [`addr(${encodeAddress(p2wshScript(ownerScript), bitcoinRegtest)})`])
  })

  it('shows the chain alike', async () => {
    await expectSame('getblockchaininfo')
    await expectSame('getmempoolinfo')
    await expectSame('getblockcount')
    await expectSame('getbestblockhash')
    for (const height of [0, 1, 17, 130]) {
      await expectSame('getblockhash', height)
      const hash = chain.node.chain.at(height)?.block.hash
      await expectSame('getblockheader', hash)
      await expectSame('getblockheader', hash, false)
      await expectSame('getblock', hash, 2)
    }
    for (const scriptBytes of [ownerScript, p2wshScript(ownerScript), script('OP_1', keyOf('x').xOnly), p2pkhScript(keyOf('x').compressed)])
      await expectSame('validateaddress', encodeAddress(scriptBytes, bitcoinRegtest))
    await expectSame('validateaddress', 'bc1qnotanaddress')
  })

  it('answers mistakes with the same codes', async () => {
    const unknown = '77'.repeat(32)
    await expectSame('getblockhash', 100_000)
    await expectSame('getblockhash', -1)
    await expectSame('getblock', unknown)
    await expectSame('getblock', 'short')
    await expectSame('getblockheader', unknown)
    await expectSame('getrawtransaction', unknown)
    await expectSame('getrawtransaction', unknown, 1, tipHash())
    await expectSame('getrawtransaction', 'zz'.repeat(32))
    await expectSame('getmempoolentry', unknown)
    await expectSame('gettxout', unknown, 0)
    await expectSame('sendrawtransaction', '00')
    await expectSame('sendrawtransaction', 'no hex')
    await expectSame('sendrawtransaction', toHex(payment([{ ...(coins[0] as FundedCoin), index: 999_999 }]).raw))
    await expectSame('sendrawtransaction', toHex(payment([coins[0] as FundedCoin], { feeSats: 0n }).raw))
    await expectSame('sendrawtransaction', toHex(payment([coins[0] as FundedCoin], { feeSats: 900_000n }).raw), 0.0001)
    await expectSame('testmempoolaccept', [toHex(payment([coins[0] as FundedCoin], { feeSats: 900_000n }).raw)], 0.0001)
    await expectSame('decoderawtransaction', '00')
    await expectSame('submitblock', '00')
    await expectSame('invalidateblock', unknown)
    await expectSame('estimatesmartfee', 0)
    await expectSame('generatetoaddress', 1, 'nonsense')
    await expectSame('getblockhash', 'a string')
    await expectSame('nosuchmethod')
  })

  it('decides alike on replacements', async () => {
    const [a, b] = [nextCoin(), nextCoin()]
    const parent = payment([a], { feeSats: 1_000n })
    const child = payment([outputOf(parent)], { feeSats: 3_000n })
    const unrelated = payment([b], { feeSats: 1_000n })
    for (const transaction of [parent, child, unrelated]) await sendBoth(transaction)
    const attempts = [
      payment([a], { feeSats: 1_001n }),
      payment([a], { feeSats: 3_999n }),
      payment([a], { feeSats: 4_000n }),
      payment([a], { feeSats: 4_010n }),
      payment([a, outputOf(unrelated)], { feeSats: 50_000n }),
      payment([a, outputOf(parent)], { feeSats: 50_000n }),
      payment([a, outputOf(child)], { feeSats: 50_000n }),
      payment([a, b], { feeSats: 5_100n }),
    ]
    for (const attempt of attempts) await expectSame('testmempoolaccept', [toHex(attempt.raw)])
    await sendBoth(payment([a], { feeSats: 9_000n }))
    await expectSame('getrawmempool', true)
    await expectSame('getmempoolentry', parent.txid)
  })

  it('decides alike on long chains of unconfirmed transactions', async () => {
    let last = payment([nextCoin()], { feeSats: 300n })
    for (let i = 0; i < 26; i++) {
      await sendBoth(last)
      last = payment([outputOf(last)], { feeSats: 300n })
    }
    const wide = split(nextCoin(), 28)
    await sendBoth(wide)
    for (let i = 0; i < 28; i++) await sendBoth(payment([outputOf(wide, i)], { feeSats: 300n }))
    chain.mine(1)
    await mirror()
    await expectSame('getmempoolinfo')
  })

  it('reorganises alike', async () => {
    const sorted = (txids: readonly string[]) => [...txids].sort()
    const parent = payment([nextCoin()])
    const child = payment([outputOf(parent)])
    await sendBoth(parent)
    chain.mine(1)
    await mirror()
    const fork = tipHash()
    await sendBoth(child)
    chain.mine(2)
    await mirror()
    await expectSame('invalidateblock', fork)
    await expectSame('getbestblockhash')
    expect(sorted(ours.call('getrawmempool'))).toEqual(sorted([parent.txid, child.txid]))
    expect(sorted(await bitcoind.rpc('getrawmempool'))).toEqual(sorted([parent.txid, child.txid]))
    await expectSame('getblockheader', fork)
    await expectSame('reconsiderblock', fork)
    await expectSame('getbestblockhash')
    await expectSame('getrawmempool')
    await expectSame('getrawtransaction', child.txid, 1)
  })

  it('accepts the blocks of the real node', async () => {
    const address = encodeAddress(ownerScript, bitcoinRegtest)
    await sendBoth(payment([nextCoin()]))
    const hashes = await bitcoind.rpc<string[]>('generatetoaddress', [3, address])
    for (const hash of hashes) expect(ours.call('submitblock', [await bitcoind.rpc<string>('getblock', [hash, 0])])).toBeNull()
    await expectSame('getbestblockhash')
    await expectSame('getrawmempool')
    await expectSame('getblock', hashes[0], 3)
  })
})
