/** Tests the size of transactions before they are signed, and the transactions themselves. */
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { parseTransaction } from '../../server/script/transaction.ts'
import { redeemVsize } from '../../server/spend/spend-size.ts'
import { htlcOf } from '../htlc.ts'
import { networkOf } from '../networks.ts'
import { scriptOfAddress, walletAddress } from '../script/address.ts'
import { identityOf } from '../script/user-key.ts'
import { estimateVsize, WALLET_WITNESS } from '../script/weight.ts'
import { signLeafSpends, signWalletPayment, splitOutpoint } from './sign.ts'

const network = networkOf('bitcoin:regtest')
const signer = createTestSigner('01'.repeat(32))
const wallet = scriptOfAddress(walletAddress(signer.publicKey, network), network)
const htlc = htlcOf(
  {
    asset: 'bitcoin_regtest:btc',
    initiator: identityOf(signer),
    redeemer: identityOf(signer),
    amount: 100_000n,
    secretHash: hashSecret('03'.repeat(32)),
    timelock: 300n,
  },
  network,
)
const coins = (count: number) => Array.from({ length: count }, (_, n) => ({ outpoint: `${'ab'.repeat(32)}:${n}`, amount: 100_000n }))

const redeems = (count: number) =>
  coins(count).map((coin) => ({ ...coin, script: htlc.script, leaf: htlc.redeem, items: [new Uint8Array(32)], timelock: null }))
const refunds = (count: number) =>
  coins(count).map((coin) => ({ ...coin, script: htlc.script, leaf: htlc.refund, items: [], timelock: 300n }))

describe('sizes known before signing', () => {
  it.each([1, 2, 7])('of payments from %i coins: never too small, at most a byte per coin too large', (count) => {
    const outputs = [
      { amount: 5_000n, script: htlc.script },
      { amount: 6_000n, script: wallet },
    ]
    const { vsize } = parseTransaction(signWalletPayment(signer, coins(count), outputs).raw)
    const estimate = estimateVsize(
      coins(count).map(() => WALLET_WITNESS),
      outputs.map((output) => output.script),
    )
    expect(estimate).toBeGreaterThanOrEqual(vsize)
    expect(estimate - vsize).toBeLessThanOrEqual(BigInt(count))
  })

  it.each([1, 3])('of redeems of %i deposits: exactly', (count) => {
    const output = { amount: 5_000n, script: wallet }
    const { raw } = signLeafSpends(signer, redeems(count), output)
    expect(redeemVsize(htlc.redeem, count, wallet)).toBe(parseTransaction(raw).vsize)
  })
})

describe('signed transactions', () => {
  it('can be replaced (BIP125), and refunds carry their timelock (BIP68, version 2)', () => {
    const output = { amount: 5_000n, script: wallet }
    const spends = [
      signWalletPayment(signer, coins(2), [output]),
      signLeafSpends(signer, redeems(2), output),
      signLeafSpends(signer, refunds(2), output),
    ].map(({ raw }) => parseTransaction(raw))
    expect(spends.map((tx) => tx.inputs.map((input) => input.sequence))).toEqual([
      [0xfffffffd, 0xfffffffd],
      [0xfffffffd, 0xfffffffd],
      [300, 300],
    ])
    expect(spends.map((tx) => tx.bytes[0])).toEqual([2, 2, 2])
  })

  it('refuses texts that are not outpoints', () => {
    expect(splitOutpoint(`${'ab'.repeat(32)}:7`)).toEqual({ txid: 'ab'.repeat(32), vout: 7 })
    for (const text of ['', 'ab:1', `${'ab'.repeat(32)}`, `${'AB'.repeat(32)}:1`, `${'ab'.repeat(32)}:-1`])
      expect(() => splitOutpoint(text)).toThrow()
  })

  it('knows a coin by one name only', () => {
    const txid = 'ab'.repeat(32)
    expect(splitOutpoint(`${txid}:${0xffffffff}`).vout).toBe(0xffffffff)
    // The last one wraps to 0 in the 32 bits of an outpoint.
    for (const alias of [`${txid}:00`, `${txid}:07`, `${txid}:${2 ** 32}`]) expect(() => splitOutpoint(alias)).toThrow()
    expect(() => splitOutpoint([`${txid}:0`] as unknown as string)).toThrow()
  })
})
