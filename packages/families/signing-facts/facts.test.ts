/** Tests what a signer reads from transactions before it signs them: the highest fee, which exclude each other, and what became of them. */
import { randomBytes } from 'node:crypto'
import { startSimulatedChain } from '@tandem/bitcoin/server/bitcoin.fixture.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { scriptOfAddress, walletAddress } from '@tandem/bitcoin/terms/script/address.ts'
import { type SpendableCoin, signWalletPayment } from '@tandem/bitcoin/terms/wallet/sign.ts'
import { createEvmFixture } from '@tandem/evm/server/evm.fixture.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { buildTransaction as solanaTransaction } from '@tandem/solana/terms/send/transaction.ts'
import { transactionWith, transferCallOf } from '@tandem/sui/terms/send/call.ts'
import { bytesOf } from '@tandem/sui/terms/send/transaction.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { familyNames } from '../names.ts'
import { facts as bitcoin } from './bitcoin.ts'
import { facts as evm } from './evm.ts'
import { loadSigningFacts } from './index.ts'
import { facts as solana } from './solana.ts'
import { facts as starknet } from './starknet.ts'
import { facts as sui } from './sui.ts'
import { facts as tron } from './tron.ts'
import { facts as xrpl } from './xrpl.ts'

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

describe('the highest fee', () => {
  test('of every family is known, and what is no transaction has none', async () => {
    for (const name of familyNames) {
      const facts = await loadSigningFacts(name)
      expect(facts.worstFee('refundConsent', [])).toBe(null)
      expect(facts.marks('refundConsent', [])).toEqual([])
    }
  })

  test('on EVM chains is that of all gas at the highest price that is offered, and a nonce excludes others', () => {
    const call = { nonce: 7, gas: 100n, maxFeePerGas: 30n, maxPriorityFeePerGas: 1n, value: 10n ** 18n }
    expect(evm.worstFee('transaction', [call])).toBe(3_000n)
    expect(evm.worstFee('transaction', [{ nonce: 7, gas: 100n, gasPrice: 40n }])).toBe(4_000n)
    expect(evm.marks('transaction', [call])).toEqual(['nonce 7'])
  })

  test('on Tron is the fee limit, and the bandwidth beside it', () => {
    expect(tron.worstFee('call', [{ data: `0x${'00'.repeat(100)}` }, { feeLimitSun: 5_000_000n }])).toBe(5_000_000n + 601_000n)
  })

  test('on the XRP Ledger is its fee, and a sequence excludes others', () => {
    expect(xrpl.worstFee('transaction', [{ Fee: '12', Sequence: 5 }])).toBe(12n)
    expect(xrpl.marks('transaction', [{ Fee: '12', Sequence: 5 }])).toEqual(['sequence 5'])
  })

  test('on Solana is that of its units, and of its signatures', () => {
    const feePayer = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' as never
    const message = solanaTransaction([], { unitLimit: 1_000_000, unitPrice: 2_000_000n, feePayer, blockhash: feePayer })
    expect(solana.worstFee('transaction', [Uint8Array.from(message.messageBytes)])).toBe(2_000_000n + 10_000n)
  })

  test('on Starknet is that of all kinds of gas with the tip, and a nonce excludes others', () => {
    const gas = { l1Gas: 1n, l1DataGas: 10n, l2Gas: 100n }
    const envelope = { nonce: 9n, gas, fees: { prices: { l1Gas: 2n, l1DataGas: 3n, l2Gas: 4n }, tip: 1n } }
    for (const name of ['invoke', 'deployAccount']) {
      expect(starknet.worstFee(name, [envelope])).toBe(2n + 30n + 500n)
      expect(starknet.marks(name, [envelope])).toEqual(['nonce 9'])
    }
    expect(starknet.worstFee('question', ['0x1'])).toBe(null)
  })

  test('on Sui is its budget, and a version of a coin excludes others', () => {
    const address = `0x${'ab'.repeat(32)}` as never
    const coin = { id: `0x${'cd'.repeat(32)}` as never, version: 3n, digest: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T' }
    const call = transactionWith(transferCallOf('0x2::sui::SUI' as never, address, 5n), [])
    const bytes = bytesOf(call, { sender: address, price: 1_000n, budget: 7_000_000n, lastEpoch: 5n, payment: [coin] })
    expect(sui.worstFee('transaction', [bytes, null])).toBe(7_000_000n)
    expect(sui.marks('transaction', [bytes, null])).toEqual([`coin 0x${'cd'.repeat(32)} 3`])
  })
})

describe('on Bitcoin', () => {
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
    expect(bitcoin.worstFee('walletPayment', args)).toBe(500n)
    expect(bitcoin.marks('walletPayment', args)).toEqual([`coin ${coin(0n).outpoint}`])
    expect(bitcoin.claims?.('walletPayment', args)).toEqual([`coin ${coin(0n).outpoint} 5000`])
    expect(bitcoin.transactionId?.('walletPayment', args)).toBe(signWalletPayment(key, ...args).txid)
  })

  test('the fee of a spend is what it does not pay, of a draft half of its deposits at most', () => {
    expect(bitcoin.worstFee('leafSpends', [[coin(900n), coin(100n)], to(ownScript, 700n)])).toBe(300n)
    expect(bitcoin.worstFee('leafWitnesses', [[coin(900n)], [coin(50n)], [to(ownScript, 700n), to(strangerScript, 10n)]])).toBe(200n)
    expect(
      bitcoin.worstFee('draft', [network, [{ deposits: [{ id: 'x', amount: 900n }] }, { deposits: [{ id: 'y', amount: 100n }] }], 1n]),
    ).toBe(500n)
    expect(bitcoin.worstFee('signRefunds', [network])).toBe(null)
  })

  test('the nodes show which coin is used by another transaction, what came back, and what a coin has', async () => {
    const local = await startSimulatedChain()
    const reader = bitcoin.connect?.(local.chain, { endpoints: local.endpoints })
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
    const [mark] = bitcoin.marks('walletPayment', [coins])
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
})

test('on EVM chains the nodes show which nonces are used', async () => {
  const fixture = await createEvmFixture()
  closing.push(fixture.close)
  const reader = evm.connect?.(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
  if (reader === undefined) throw new Error('it has a reader')
  closing.push(reader.close)
  const isUsed = (nonce: number) => reader.isUsedByOther(`nonce ${nonce}`, fixture.solver.signer, new Set())
  expect(await isUsed(0)).toBe(false)
  await fixture.sendAs(fixture.solver, { to: fixture.user.address })
  expect(await isUsed(0)).toBe(false)
  await fixture.mine()
  expect([await isUsed(0), await isUsed(1)]).toEqual([true, false])
}, 60_000)
