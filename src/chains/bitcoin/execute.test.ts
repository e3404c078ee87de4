// What becomes of transactions that are lost, slow, outbid, orphaned or sent twice, on the simulated chain.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BitcoinRegtest, startBitcoinRegtest } from '../../../devnet/bitcoin/index.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { createSecret, hashSecret } from '../../protocol/secret.ts'
import { lookAt } from '../conformance-harness.ts'
import { createMemoryOutbox, type MemoryOutbox } from '../conformance-outbox.ts'
import type { ChainClient, ChainFailureKind, Signer } from '../family.ts'
import { randomSigner, regtest, regtestChain } from './bitcoin-fixture.ts'
import { createCoreBackend } from './core-rpc.ts'
import { bitcoin } from './index.ts'
import { initiateHtlc } from './initiate.ts'
import { createJsonRpc } from './json-rpc.ts'
import { createNodeHttp } from './node-http.ts'
import { signWalletPayment } from './sign.ts'
import { parseTransaction } from './transaction.ts'

const chain = regtestChain()
const FINAL = chain.finalityBlocks
const failure = (kind: ChainFailureKind, message: RegExp = /./) =>
  expect.objectContaining({ name: 'ChainFailure', kind, message: expect.stringMatching(message) })

describe.each(['rpc', 'esplora'] as const)('through %s', (endpoint) => {
  let node: BitcoinRegtest
  let client: ChainClient
  let solver: Signer
  let user: Signer
  let outbox: MemoryOutbox
  let secret: string
  let from: bigint
  const rpc = <T>(method: string, ...params: readonly unknown[]) =>
    createJsonRpc(createNodeHttp(node.rpcUrl)).call(method, params) as Promise<T>

  beforeEach(async () => {
    node = await startBitcoinRegtest({ premineBlocks: 110 })
    client = bitcoin.connect(chain, { assets: [], endpoints: { [endpoint]: endpoint === 'rpc' ? node.rpcUrl : node.esploraUrl } })
    solver = randomSigner()
    user = randomSigner()
    outbox = createMemoryOutbox(solver)
    secret = createSecret()
    from = BigInt(node.height) + 1n
  })
  afterEach(() => node.close())

  const termsTo = (amount: bigint, timelock = 20n): HtlcTerms => ({
    asset: chain.nativeAsset,
    initiator: client.identityOf(solver),
    redeemer: client.identityOf(user),
    amount,
    secretHash: hashSecret(secret),
    timelock,
  })
  const give = async (...amounts: readonly bigint[]) => {
    const txids = []
    for (const amount of amounts) txids.push(await node.faucet(client.addressOf(solver), amount))
    node.mine(1)
    return txids
  }
  const look = async (terms: HtlcTerms) => (await lookAt(client, terms, from)).swap
  const initiate = (terms: HtlcTerms, key = 'initiate', options = {}) => client.initiate(terms, outbox.open(key, options))
  const mempool = () => rpc<string[]>('getrawmempool')
  const feeOfUnmined = async (tx: string) => {
    const { fees, vsize } = await rpc<{ fees: { base: number }; vsize: number }>('getmempoolentry', tx)
    return { fee: BigInt(Math.round(fees.base * 1e8)), vsize: BigInt(vsize) }
  }

  describe('initiating', () => {
    it('raises the fee of what waits too long, over the same coins, and pays once', async () => {
      await give(1_000_000n)
      const terms = termsTo(200_000n)
      const first = await initiate(terms)
      const before = await feeOfUnmined(first)
      outbox.passSeconds(chain.feeBumpSeconds - 1n)
      expect(await initiate(terms)).toBe(first)
      outbox.passSeconds(1n)
      const second = await initiate(terms)
      expect(second).not.toBe(first)
      const after = await feeOfUnmined(second)
      expect(after.fee).toBeGreaterThanOrEqual(before.fee + after.vsize)
      expect(await mempool()).toEqual([second])
      const [one, two] = outbox.attempts('initiate')
      expect(two?.slots).toEqual(one?.slots)
      node.mine(1)
      expect(await initiate(terms)).toBe(second)
      expect(await look(terms)).toMatchObject({ phase: 'initiated', filledAmount: 200_000n, deposits: [{ tx: second }] })
    })

    it('returns the attempt that was mined, even if it is the cheaper one', async () => {
      await give(1_000_000n)
      const terms = termsTo(200_000n)
      const first = await initiate(terms)
      outbox.passSeconds(chain.feeBumpSeconds)
      await expect(initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow('dies-after-recording')
      expect(outbox.attempts('initiate')).toHaveLength(2)
      expect(await initiate(terms)).toBe(first)
      node.mine(1)
      expect(await initiate(terms)).toBe(first)
      expect((await look(terms)).deposits).toHaveLength(1)
    })

    it('sends again what a node swallowed', async () => {
      await give(1_000_000n)
      const terms = termsTo(200_000n)
      node.faults.drop(1)
      const tx = await initiate(terms)
      expect(await mempool()).toEqual([])
      expect(await initiate(terms)).toBe(tx)
      expect(await mempool()).toEqual([tx])
      expect(outbox.attempts('initiate')).toHaveLength(1)
    })

    it('does not touch coins that another action may still spend', async () => {
      await give(300_000n, 300_000n)
      const other = termsTo(200_000n, 21n)
      await expect(initiate(other, 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
      const tx = await initiate(termsTo(200_000n))
      const [taken] = outbox.attempts('other')
      expect(outbox.attempts('initiate')[0]?.slots.some((slot) => taken?.slots.includes(slot))).toBe(false)
      expect(await initiate(other, 'other')).toBe(taken?.tx)
      expect((await mempool()).toSorted()).toEqual([tx, taken?.tx].toSorted())
      await expect(initiate(termsTo(200_000n, 22n), 'third')).rejects.toThrow(failure('would-fail', /insufficient funds/))
    })

    it('takes the coins of an action that nobody wants any more', async () => {
      await give(300_000n)
      await expect(initiate(termsTo(200_000n, 21n), 'other', { fault: 'dies-after-recording' })).rejects.toThrow()
      await expect(initiate(termsTo(200_000n))).rejects.toThrow(failure('would-fail'))
      outbox.abandon('other')
      await initiate(termsTo(200_000n))
      expect(outbox.attempts('initiate')[0]?.slots).toEqual(outbox.attempts('other')[0]?.slots)
    })

    it('spends its own unmined change, and then leaves the parent alone', async () => {
      await give(1_000_000n)
      const parent = await initiate(termsTo(200_000n, 21n), 'parent')
      const child = await initiate(termsTo(200_000n), 'child')
      expect(outbox.attempts('child')[0]?.slots).toEqual([`${parent}:1`])
      outbox.passSeconds(chain.feeBumpSeconds)
      expect(await initiate(termsTo(200_000n, 21n), 'parent')).toBe(parent)
      // The child is free to pay more for both.
      const bumped = await initiate(termsTo(200_000n), 'child')
      expect(bumped).not.toBe(child)
      expect((await mempool()).toSorted()).toEqual([parent, bumped].toSorted())
    })

    it('does not build on change that a replacement of its parent would take away', async () => {
      await give(1_000_000n)
      await initiate(termsTo(200_000n, 21n), 'parent')
      outbox.passSeconds(chain.feeBumpSeconds)
      await initiate(termsTo(200_000n, 21n), 'parent')
      await expect(initiate(termsTo(200_000n))).rejects.toThrow(failure('would-fail', /insufficient funds/))
    })

    it('waits for a coin that a reorg took away instead of paying from another', async () => {
      await give(500_000n)
      const [funding] = await give(300_000n)
      const raw = await rpc<string>('getrawtransaction', funding)
      const terms = termsTo(200_000n)
      const tx = await initiate(terms)
      node.mine(1)
      node.reorg(2, { dropTransactions: true })
      await expect(initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
      expect(outbox.attempts('initiate')).toHaveLength(1)
      await rpc('sendrawtransaction', raw)
      expect(await initiate(terms)).toBe(tx)
      node.mine(1)
      expect(await look(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx }] })
    })

    it('replaces an orphaned coin if another of the attempt is still there to exclude it', async () => {
      await give(150_000n)
      const [orphan] = await give(150_000n)
      const terms = termsTo(200_000n)
      const first = await initiate(terms)
      node.mine(1)
      node.reorg(2, { dropTransactions: true })
      await give(160_000n)
      const second = await initiate(terms)
      expect(second).not.toBe(first)
      const [one, two] = outbox.attempts('initiate')
      expect(two?.slots.filter((slot) => one?.slots.includes(slot))).toHaveLength(1)
      expect(two?.slots.some((slot) => slot.startsWith(`${orphan}:`))).toBe(false)
      node.mine(1)
      expect(await look(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx: second }] })
    })

    it('sends a lost parent of its own again', async () => {
      await give(1_000_000n)
      const parent = await initiate(termsTo(200_000n, 21n), 'parent')
      const child = await initiate(termsTo(200_000n), 'child')
      node.mine(1)
      node.reorg(1, { dropTransactions: true })
      expect(await mempool()).toEqual([])
      expect(await initiate(termsTo(200_000n), 'child')).toBe(child)
      expect((await mempool()).toSorted()).toEqual([parent, child].toSorted())
    })

    it('pays from other coins only when its own were spent elsewhere for good', async () => {
      const [funding] = await give(300_000n)
      const terms = termsTo(200_000n)
      await expect(initiate(terms, 'initiate', { fault: 'dies-after-recording' })).rejects.toThrow()
      // The operator moves the same coin by hand.
      const coin = outbox.attempts('initiate')[0]?.slots[0] ?? ''
      expect(coin.startsWith(`${funding}:`)).toBe(true)
      const home = { script: new Uint8Array([0x00, 0x14, ...new Uint8Array(20).fill(7)]), amount: 299_000n }
      await rpc('sendrawtransaction', signWalletPayment(solver, [{ outpoint: coin, amount: 300_000n }], [home]).raw)
      node.mine(1)
      await give(400_000n)
      await expect(initiate(terms)).rejects.toThrow(failure('would-fail', /could pay twice/))
      node.mine(FINAL)
      const tx = await initiate(terms)
      node.mine(1)
      expect(await look(terms)).toMatchObject({ phase: 'initiated', deposits: [{ tx }] })
    })

    it('says unreachable when the node is away, and goes on when it is back', async () => {
      await give(1_000_000n)
      const terms = termsTo(200_000n)
      await node.faults.setOutage('unavailable')
      await expect(initiate(terms)).rejects.toThrow(failure('unreachable'))
      await node.faults.setOutage('refused')
      await expect(initiate(terms)).rejects.toThrow(failure('unreachable'))
      await node.faults.setOutage('none')
      const tx = await initiate(terms)
      expect(await mempool()).toEqual([tx])
    })
  })

  describe('spending', () => {
    const deposits = async (terms: HtlcTerms) => (await look(terms)).deposits.map(({ id, amount }) => ({ id, amount }))
    const fund = async (terms: HtlcTerms, amount = terms.amount) => {
      await node.faucet(client.swapId(terms), amount)
      node.mine(1)
      return deposits(terms)
    }
    const payout = () => client.addressOf(user)
    const payoutOf = (box: MemoryOutbox, key: string) => parseTransaction(box.attempts(key).at(-1)?.raw ?? '').outputs[0]?.amount ?? 0n

    it('redeems several deposits at once and raises the fee out of the payout', async () => {
      const terms = termsTo(200_000n)
      await fund(terms, 120_000n)
      const found = await fund(terms, 80_000n)
      const box = createMemoryOutbox(user)
      const redeem = () => client.redeem(terms, { deposits: found, to: payout(), secret }, box.open('redeem'))
      const first = await redeem()
      const { fee } = await feeOfUnmined(first)
      expect(payoutOf(box, 'redeem')).toBe(200_000n - fee)
      box.passSeconds(chain.feeBumpSeconds)
      const second = await redeem()
      const after = await feeOfUnmined(second)
      expect(after.fee).toBeGreaterThanOrEqual(fee + after.vsize)
      expect(await mempool()).toEqual([second])
      node.mine(1)
      expect(await redeem()).toBe(second)
      expect(await client.balance(terms.asset, payout())).toBe(200_000n - after.fee)
      expect(await look(terms)).toMatchObject({ phase: 'redeemed', secret })
    })

    it('raises sooner when the time runs out, and never beyond half of the amount', async () => {
      const terms = termsTo(20_000n)
      const found = await fund(terms)
      const box = createMemoryOutbox(user)
      const redeem = () => client.redeem(terms, { deposits: found, to: payout(), secret }, box.open('redeem', { secondsLeft: 60n }))
      const seen = new Set([await redeem()])
      for (let i = 0; i < 40; i++) {
        box.passSeconds(chain.feeBumpSeconds / 4n + 1n)
        seen.add(await redeem())
      }
      expect(seen.size).toBeGreaterThan(5)
      expect(box.attempts('redeem')).toHaveLength(seen.size)
      expect(payoutOf(box, 'redeem')).toBeGreaterThanOrEqual(10_000n)
    })

    it('refuses what is not worth its fee', async () => {
      const terms = termsTo(400n)
      const found = await fund(terms)
      const box = createMemoryOutbox(user)
      await expect(client.verifyPayout(terms, payout())).rejects.toThrow(failure('would-fail', /uneconomic/))
      await expect(client.redeem(terms, { deposits: found, to: payout(), secret }, box.open('redeem'))).rejects.toThrow(
        failure('would-fail', /uneconomic/),
      )
      expect(box.attempts('redeem')).toEqual([])
    })

    it('refuses a key that is not the party', async () => {
      const terms = termsTo(200_000n)
      const found = await fund(terms)
      await expect(client.redeem(terms, { deposits: found, to: payout(), secret }, outbox.open('redeem'))).rejects.toThrow(
        failure('would-fail'),
      )
      await expect(client.refund(terms, { deposits: found, to: null }, createMemoryOutbox(user).open('refund'))).rejects.toThrow(
        failure('would-fail'),
      )
    })

    it('pays the own wallet when no address is given', async () => {
      const terms = termsTo(200_000n)
      const found = await fund(terms)
      node.mine(20)
      await client.refund(terms, { deposits: found, to: null }, outbox.open('refund'))
      node.mine(1)
      expect(await client.balance(terms.asset, client.addressOf(solver))).toBe(payoutOf(outbox, 'refund'))
    })

    it('outbids an unmined refund, which then says that it is superseded', async () => {
      const terms = termsTo(200_000n)
      const found = await fund(terms)
      node.mine(20)
      const refund = await client.refund(terms, { deposits: found, to: null }, outbox.open('refund'))
      expect(await mempool()).toEqual([refund])
      const box = createMemoryOutbox(user)
      const redeem = await client.redeem(terms, { deposits: found, to: payout(), secret }, box.open('redeem'))
      expect(await mempool()).toEqual([redeem])
      await expect(client.refund(terms, { deposits: found, to: null }, outbox.open('refund'))).rejects.toThrow(failure('superseded'))
      node.mine(1)
      await expect(client.refund(terms, { deposits: found, to: null }, outbox.open('refund'))).rejects.toThrow(failure('superseded'))
      expect(outbox.attempts('refund')).toHaveLength(1)
      expect(await look(terms)).toMatchObject({ phase: 'redeemed', secret })
    })

    it('refunds a later deposit after an earlier one was refunded', async () => {
      const terms = termsTo(200_000n)
      const [early] = await fund(terms, 50_000n)
      node.mine(10)
      await fund(terms, 60_000n)
      node.mine(10)
      const first = await client.refund(terms, { deposits: early === undefined ? [] : [early], to: null }, outbox.open('refund'))
      node.mine(1)
      const late = (await look(terms)).deposits.filter((d) => d.spend === null).map(({ id, amount }) => ({ id, amount }))
      expect(late).toHaveLength(1)
      await expect(client.refund(terms, { deposits: late, to: null }, outbox.open('refund'))).rejects.toThrow(
        failure('would-fail', /timelock/),
      )
      node.mine(20)
      const second = await client.refund(terms, { deposits: late, to: null }, outbox.open('refund'))
      expect(second).not.toBe(first)
      node.mine(1)
      expect((await look(terms)).phase).toBe('refunded')
    })

    it('says superseded for a deposit that a reorg took away', async () => {
      const terms = termsTo(200_000n)
      const found = await fund(terms)
      node.reorg(1, { dropTransactions: true })
      const box = createMemoryOutbox(user)
      await expect(client.redeem(terms, { deposits: found, to: payout(), secret }, box.open('redeem'))).rejects.toThrow(
        failure('superseded'),
      )
    })
  })
})

it('finds its mined attempt through a node without a transaction index, when all outputs of it are spent', async () => {
  const node = await startBitcoinRegtest({ premineBlocks: 110 })
  try {
    const solver = randomSigner()
    const outbox = createMemoryOutbox(solver)
    const core = createCoreBackend(node.rpcUrl, regtest)
    const client = bitcoin.connect(chain, { assets: [], endpoints: { rpc: node.rpcUrl } })
    const terms: HtlcTerms = {
      asset: chain.nativeAsset,
      initiator: client.identityOf(solver),
      redeemer: client.identityOf(solver),
      amount: 200_000n,
      secretHash: hashSecret('05'.repeat(32)),
      timelock: 20n,
    }
    await node.faucet(client.addressOf(solver), 1_000_000n)
    node.mine(1)
    const blind = { ...core, placeOf: async () => null }
    const initiate = () =>
      initiateHtlc({ chain, backend: blind, outbox: outbox.open('initiate'), feeRate: async () => 2_000n }, regtest, terms)
    const tx = await initiate()
    node.mine(1)
    await client.redeem(
      terms,
      { deposits: [{ id: `${tx}:0`, amount: 200_000n }], to: null, secret: '05'.repeat(32) },
      outbox.open('redeem'),
    )
    await client.initiate({ ...terms, timelock: 21n }, outbox.open('other'))
    node.mine(1)
    expect(await initiate()).toBe(tx)
    expect(outbox.attempts('initiate')).toHaveLength(1)
  } finally {
    await node.close()
  }
})
