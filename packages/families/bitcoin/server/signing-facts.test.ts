/** Tests what a signer reads from transactions before it signs them. */
import { randomBytes } from 'node:crypto'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { afterAll, expect, test } from 'vitest'
import { networkOf } from '../terms/networks.ts'
import { scriptOfAddress, walletAddress } from '../terms/script/address.ts'
import { type SpendableCoin, signWalletPayment } from '../terms/wallet/sign.ts'
import { startSimulatedChain } from './bitcoin.fixture.ts'
import { signingFacts } from './signing-facts.ts'

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

const network = networkOf('bitcoin:regtest')
const key = createTestSigner(randomBytes(32).toString('hex'))
const own = walletAddress(key.publicKey, network)
const [ownScript, strangerScript] = [own, walletAddress(createTestSigner('11'.repeat(32)).publicKey, network)].map((address) =>
  scriptOfAddress(address, network),
)
if (ownScript === undefined || strangerScript === undefined) throw new Error('two scripts')
const to = (script: Uint8Array, amount: bigint) => ({ script, amount })
const coin = (amount: bigint): SpendableCoin => ({ outpoint: `${'ab'.repeat(32)}:1`, amount })

test('the fee is what no output has, the id is that of what is signed, and the coins exclude others', () => {
  const args = [[coin(5_000n)], [to(strangerScript, 3_000n), to(ownScript, 1_500n)]] as const
  expect(signingFacts.worstFee('walletPayment', args)).toBe(500n)
  expect(signingFacts.marks('walletPayment', args)).toEqual([`coin ${coin(0n).outpoint}`])
  expect(signingFacts.claims?.('walletPayment', args)).toEqual([`coin ${coin(0n).outpoint} 5000`])
  expect(signingFacts.transactionId?.('walletPayment', args)).toBe(signWalletPayment(key, ...args).txid)
})

test('the fee of a spend is what it does not pay', () => {
  expect(signingFacts.worstFee('leafSpends', [[coin(900n), coin(100n)], to(ownScript, 700n)])).toBe(300n)
  expect(signingFacts.worstFee('leafWitnesses', [[coin(900n)], [coin(50n)], [to(ownScript, 700n), to(strangerScript, 10n)]])).toBe(200n)
  expect(signingFacts.worstFee('signRefunds', [network])).toBe(null)
})

test('the fee of a draft is that of its size, half of its deposits at most, and other spends of its deposits exclude it', () => {
  const [first, second] = [
    { id: 'x:0', amount: 100_000n },
    { id: 'y:1', amount: 50_000n },
  ]
  const draft = (rate: bigint) => [network, [{ deposits: [first, second] }, { deposits: [{ id: 'z:2', amount: 70_000n }] }], rate]
  // 99 vB for one deposit, and 57.5 for each further one.
  expect(signingFacts.worstFee('draft', draft(2_000n))).toBe(428n)
  expect(signingFacts.worstFee('draft', draft(10n ** 9n))).toBeLessThanOrEqual(110_000n)
  expect(signingFacts.marks('draft', draft(1n))).toEqual(['coin x:0', 'coin y:1', 'coin z:2'])
})

test('the nodes show which coin is used by another transaction, what came back, and what a coin has', async () => {
  const local = await startSimulatedChain()
  const reader = signingFacts.connect?.(local.chain, { endpoints: local.endpoints })
  if (reader === undefined) throw new Error('it has a reader')
  closing.push(reader.close, local.close)
  const send = ({ raw }: { readonly raw: string }) => local.rpc<string>('sendrawtransaction', [raw])
  const [txid] = [await local.pay(own, 100_000n)]
  await local.mine(1)
  const funded = await local.rpc<{ readonly vout: readonly { readonly n: number; readonly value: number }[] }>('getrawtransaction', [
    txid,
    true,
  ])
  const vout = funded.vout.find(({ value }) => Math.round(value * 1e8) === 100_000)?.n ?? 0
  const coins = [{ outpoint: `${txid}:${vout}`, amount: 100_000n }]
  const [mark] = signingFacts.marks('walletPayment', [coins])
  if (mark === undefined) throw new Error('it has a mark')
  expect(await reader.amountOf?.(mark)).toBe(100_000n)
  const lock = signWalletPayment(key, coins, [to(ownScript, 50_000n), to(ownScript, 49_000n)])
  const isUsed = (...ours: readonly string[]) => reader.isUsedByOther(mark, key, new Set(ours))
  expect(await isUsed()).toBe(false)
  await send(lock)
  await local.mine(local.chain.finalityBlocks - 1)
  // A spend that a reorg could undo does not count.
  expect(await isUsed()).toBe(false)
  await local.mine(1)
  expect(await isUsed(lock.txid)).toBe(false)
  expect(await isUsed('another')).toBe(true)
  expect(await reader.cameBack?.(lock.txid, key)).toBe(false)
  await send(signWalletPayment(key, [{ outpoint: `${lock.txid}:0`, amount: 50_000n }], [to(ownScript, 49_500n)]))
  await local.mine(local.chain.finalityBlocks)
  expect(await reader.cameBack?.(lock.txid, key)).toBe(true)
  const other = signWalletPayment(key, [{ outpoint: `${lock.txid}:1`, amount: 49_000n }], [to(ownScript, 40_000n), to(ownScript, 8_000n)])
  await send(other)
  await send(signWalletPayment(key, [{ outpoint: `${other.txid}:0`, amount: 40_000n }], [to(strangerScript, 39_000n)]))
  await local.mine(local.chain.finalityBlocks)
  expect(await reader.cameBack?.(other.txid, key)).toBe(false)
}, 60_000)
