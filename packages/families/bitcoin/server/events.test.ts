/** Tests which outputs and inputs of a transaction count as deposits and spends. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import { OutScript, p2tr, p2wpkh, p2wsh, RawTx } from '@scure/btc-signer'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import { createWatchedSwaps } from '@tandem/party/engine/watched-swaps.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { describe, expect, it } from 'vitest'
import { htlcOf } from '../terms/htlc.ts'
import { networkOf } from '../terms/networks.ts'
import { identityOf } from '../terms/script/user-key.ts'
import { findEvents, type SeenTransaction } from './events.ts'
import { type ParsedTransaction, parseTransaction } from './script/transaction.ts'

const network = networkOf('bitcoin:regtest')
const secret = '0a'.repeat(32)
const termsOf = (timelock: bigint): HtlcTerms => ({
  asset: 'bitcoin_regtest:btc',
  initiator: identityOf(createSecp256k1Key('01'.repeat(32))),
  redeemer: identityOf(createSecp256k1Key('02'.repeat(32))),
  amount: 100_000n,
  secretHash: hashSecret(secret),
  timelock,
})
const htlc = htlcOf(termsOf(20n), network)
const otherHtlc = htlcOf(termsOf(21n), network)
type Watched = Parameters<typeof createWatchedSwaps>[0]
const watch = (of: typeof htlc, timelock: bigint, deposits: readonly string[] = []): Watched[number] => ({
  swapId: of.address,
  terms: termsOf(timelock),
  deposits,
})
const derive = (seen: readonly SeenTransaction[], watched: Watched) => findEvents(seen, createWatchedSwaps(watched), network)
const block = { height: 9n, hash: 'ab'.repeat(32), time: 1_700_000_000n }

const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill)
const secretBytes = bytes(32, 0x0a)
const stranger = OutScript.encode({ type: 'wpkh', hash: bytes(20, 1) })

type Input = { readonly from: string; readonly witness: readonly Uint8Array[] }

function transaction(inputs: readonly Input[], outputs: readonly (readonly [Uint8Array, bigint])[]): ParsedTransaction {
  const raw = RawTx.encode({
    version: 2,
    segwitFlag: true,
    inputs: inputs.map(({ from }) => {
      const [txid = '', index] = from.split(':')
      return { txid: hexToBytes(txid), index: Number(index), finalScriptSig: new Uint8Array(), sequence: 0 }
    }),
    outputs: outputs.map(([script, amount]) => ({ script, amount })),
    witnesses: inputs.map(({ witness }) => [...witness]),
    lockTime: 0,
  })
  return parseTransaction(bytesToHex(raw))
}

const coin = (n: number) => `${n.toString(16).padStart(64, '0')}:0`
const funding = transaction(
  [{ from: coin(1), witness: [bytes(64, 1)] }],
  [
    [stranger, 5n],
    [htlc.script, 100_000n],
    [otherHtlc.script, 7n],
  ],
)
const deposit = `${funding.txid()}:1`
const mined = (...list: readonly ParsedTransaction[]): SeenTransaction[] => list.map((one) => ({ transaction: one, block }))
const both = [watch(htlc, 20n), watch(otherHtlc, 21n)]

const redeemWitness = [bytes(64, 2), secretBytes, htlc.redeem.script, htlc.redeem.controlBlock]
const refundWitness = [bytes(64, 2), htlc.refund.script, htlc.refund.controlBlock]

describe('deposits', () => {
  it('takes no block reward for one: nobody could redeem it for 100 blocks', async () => {
    const reward = transaction([{ from: `${'00'.repeat(32)}:${0xffffffff}`, witness: [bytes(32, 0)] }], [[htlc.script, 100_000n]])
    expect(await derive(mined(reward), both)).toEqual([])
  })

  it('sees every output that pays a watched script', async () => {
    expect(await derive(mined(funding), both)).toEqual([
      {
        kind: 'initiated',
        swapId: htlc.address,
        tx: funding.txid(),
        index: 'out:1',
        deposit,
        amount: 100_000n,
        block,
        expiresAt: block.height + 20n,
      },
      {
        kind: 'initiated',
        swapId: otherHtlc.address,
        tx: funding.txid(),
        index: 'out:2',
        deposit: `${funding.txid()}:2`,
        amount: 7n,
        block,
        expiresAt: block.height + 21n,
      },
    ])
  })

  it('ignores the same leaves under another key or in another wrapper', async () => {
    const leaves = [{ script: htlc.redeem.script }, [{ script: htlc.refund.script }, { script: htlc.instantRefund.script }]] as const
    const otherKey = p2tr(termsOf(20n).redeemer, [leaves[0], [...leaves[1]]], network, true)
    const wrapped = p2wsh({ type: 'unknown', script: htlc.redeem.script }, network)
    const lookAlike = transaction(
      [{ from: coin(2), witness: [bytes(64, 1)] }],
      [
        [otherKey.script, 100_000n],
        [wrapped.script, 100_000n],
      ],
    )
    expect(await derive(mined(lookAlike), both)).toEqual([])
  })
})

describe('spends', () => {
  const spendOf = (witness: readonly Uint8Array[]) => transaction([{ from: deposit, witness }], [[stranger, 1n]])
  const eventsOf = (tx: ParsedTransaction) => derive(mined(tx), [watch(htlc, 20n, [deposit])])

  it('reads the secret out of a redeem', async () => {
    const redeem = spendOf(redeemWitness)
    expect(await eventsOf(redeem)).toEqual([
      { kind: 'redeemed', swapId: htlc.address, tx: redeem.txid(), index: 'in:0', deposit, secret, paid: 1n, block },
    ])
  })

  it.each([
    ['behind an annex', [...redeemWitness, Uint8Array.of(0x50, ...bytes(31, 9))]],
    ['among extra items', [bytes(32, 5), bytes(33, 0x0a), ...redeemWitness]],
    ['after a 32-byte decoy', [bytes(32, 0x0b), secretBytes, htlc.redeem.script, htlc.redeem.controlBlock]],
  ])('finds the secret %s', async (_, witness) => {
    expect(await eventsOf(spendOf(witness))).toMatchObject([{ kind: 'redeemed', secret }])
  })

  it('reads any other spend of a deposit as a refund', async () => {
    const redeemBy = (item: Uint8Array) => spendOf([bytes(64, 2), item, htlc.redeem.script, htlc.redeem.controlBlock])
    expect(await eventsOf(spendOf(refundWitness))).toMatchObject([{ kind: 'refunded', index: 'in:0', deposit }])
    expect(await eventsOf(spendOf([bytes(64, 2), bytes(64, 3), htlc.instantRefund.script, htlc.instantRefund.controlBlock]))).toMatchObject(
      [{ kind: 'refunded' }],
    )
    expect(await eventsOf(spendOf([bytes(64, 2)]))).toMatchObject([{ kind: 'refunded' }])
    expect(await eventsOf(redeemBy(bytes(32, 0x0b)))).toMatchObject([{ kind: 'refunded' }])
    // 33 bytes that begin with the secret are not the secret.
    expect(await eventsOf(redeemBy(bytes(33, 0x0a)))).toMatchObject([{ kind: 'refunded' }])
  })

  it.each([
    ['in an extra item', (shown: Uint8Array) => [shown, ...refundWitness]],
    ['as the annex', (shown: Uint8Array) => [...refundWitness, shown]],
    ['in an extra item before an annex', (shown: Uint8Array) => [shown, ...refundWitness, Uint8Array.of(0x50)]],
    ['in the place of the script of a redeem', (shown: Uint8Array, redeem: Uint8Array) => [redeem, shown, ...refundWitness.slice(1)]],
    [
      'with the script of a redeem as the annex',
      (shown: Uint8Array, redeem: Uint8Array) => [shown, ...refundWitness, Uint8Array.of(0x50, ...redeem)],
    ],
  ])('reads a refund that shows the secret %s as a refund', async (_, witnessOf) => {
    // A secret that begins like an annex (BIP341) can be in its place.
    const shown = Uint8Array.of(0x50, ...bytes(31, 0x0a))
    const terms = { ...termsOf(20n), secretHash: hashSecret(bytesToHex(shown)) }
    const { address, redeem } = htlcOf(terms, network)
    const spend = spendOf(witnessOf(shown, redeem.script))
    const events = await derive(mined(spend), [{ swapId: address, terms, deposits: [deposit] }])
    // The secret is public, even if the spend is a refund.
    expect(events).toMatchObject([{ kind: 'refunded', secret: bytesToHex(shown) }])
  })

  it('accepts only 32 bytes as a secret, even if the hash matches', async () => {
    const long = bytes(33, 0x0c)
    const terms = { ...termsOf(20n), secretHash: bytesToHex(sha256(long)) }
    const { address, redeem } = htlcOf(terms, network)
    const spend = spendOf([bytes(64, 2), long, redeem.script, redeem.controlBlock])
    const events = await derive(mined(spend), [{ swapId: address, terms, deposits: [deposit] }])
    expect(events).toMatchObject([{ kind: 'refunded', secret: null }])
  })

  it.each([
    ['in an extra item of a refund', [secretBytes, ...refundWitness]],
    [
      'in an extra item of an instant refund',
      [bytes(65, 1), secretBytes, bytes(65, 2), htlc.instantRefund.script, htlc.instantRefund.controlBlock],
    ],
    ['in the annex of a refund', [...refundWitness, Uint8Array.of(0x50, ...secretBytes)]],
    ['in the annex of a key path', [bytes(64, 2), Uint8Array.of(0x50, ...secretBytes)]],
    ['in an unknown leaf', [secretBytes, bytes(1, 0x51), bytes(33, 0xc0)]],
  ])('finds the secret that a spend other than a redeem shows %s', async (_, witness) => {
    expect(await eventsOf(spendOf(witness))).toMatchObject([{ kind: 'refunded', secret }])
  })

  it('does not search for the secret inside longer items', async () => {
    const witness = [concatBytes(secretBytes, bytes(1, 0)), ...refundWitness, Uint8Array.of(0x50, ...secretBytes, 0)]
    expect(await eventsOf(spendOf(witness))).toMatchObject([{ kind: 'refunded', secret: null }])
  })

  describe('by the key path', () => {
    const redeemer = createSecp256k1Key('02'.repeat(32)).publicKey
    const withParity = (parity: number) => Uint8Array.of(parity, ...redeemer.subarray(1))
    const initiator = p2wpkh(createSecp256k1Key('01'.repeat(32)).publicKey).script
    const kindOf = async (signature: Uint8Array, outputs: readonly Uint8Array[], more: readonly Uint8Array[] = []) =>
      (
        await eventsOf(
          transaction(
            [{ from: deposit, witness: [signature, ...more] }],
            outputs.map((script) => [script, 1n] as const),
          ),
        )
      )
        .filter(({ index }) => index === 'in:0')
        .map((event) => [event.kind, event.kind === 'initiated' ? '' : event.secret])

    it.each([
      ['the wallet of the redeemer', p2wpkh(withParity(2)).script],
      ['the wallet of the other key with the same x', p2wpkh(withParity(3)).script],
      ['taproot of the redeemer (BIP86)', p2tr(redeemer.subarray(1)).script],
    ])('is a redeem when it pays %s', async (_, script) => {
      expect(await kindOf(bytes(64, 2), [script])).toEqual([['redeemed', null]])
      expect(await kindOf(bytes(64, 2), [stranger, script])).toEqual([['redeemed', null]])
      expect(await kindOf(bytes(64, 2), [script], [Uint8Array.of(0x50)])).toEqual([['redeemed', null]])
      expect(await kindOf(bytes(65, 1), [script])).toEqual([['redeemed', null]])
    })

    it('is a refund when it pays anyone else', async () => {
      for (const script of [initiator, stranger, htlc.script, p2wsh({ type: 'unknown', script: htlc.redeem.script }).script])
        expect(await kindOf(bytes(64, 2), [script])).toEqual([['refunded', null]])
    })

    it('is classified by the output of the same index if the parties signed only that (SINGLE)', async () => {
      const [wallet, single] = [p2wpkh(redeemer).script, bytes(65, 0x83)]
      expect(await kindOf(single, [stranger, wallet])).toEqual([['refunded', null]])
      expect(await kindOf(single, [wallet, stranger])).toEqual([['redeemed', null]])
      expect(await kindOf(bytes(65, 0x03), [stranger, wallet])).toEqual([['refunded', null]])
    })
  })

  it('pays out what its outputs hold: all, or the one that an instant refund signs', async () => {
    const second = `${funding.txid()}:7`
    const instantRefund = [bytes(65, 3), bytes(65, 3), htlc.instantRefund.script, htlc.instantRefund.controlBlock]
    const paidBy = async (witness: readonly Uint8Array[]) => {
      const spend = transaction(
        [
          { from: deposit, witness },
          { from: second, witness },
        ],
        [
          [stranger, 700n],
          [stranger, 200n],
        ],
      )
      const events = await derive(mined(spend), [watch(htlc, 20n, [deposit, second])])
      return events.map((event) => event.kind !== 'initiated' && event.paid)
    }
    expect(await paidBy(refundWitness)).toEqual([900n, 0n])
    expect(await paidBy(instantRefund)).toEqual([700n, 200n])
    expect(await paidBy([bytes(65, 0x83)])).toEqual([700n, 200n])
    expect(await paidBy([bytes(65, 1)])).toEqual([900n, 0n])
  })

  it('classifies each input of a transaction on its own', async () => {
    const otherDeposit = `${funding.txid()}:2`
    const mixed = transaction(
      [
        { from: coin(3), witness: [bytes(71, 1), secretBytes] },
        { from: otherDeposit, witness: refundWitness },
        { from: deposit, witness: redeemWitness },
      ],
      [[stranger, 1n]],
    )
    const events = await derive(mined(mixed), [watch(htlc, 20n, [deposit]), watch(otherHtlc, 21n, [otherDeposit])])
    expect(events.map(({ kind, index, swapId }) => [kind, index, swapId])).toEqual([
      ['refunded', 'in:1', otherHtlc.address],
      ['redeemed', 'in:2', htlc.address],
    ])
  })

  it('knows deposits of the same scan, in any order, and ignores spends of unknown ones', async () => {
    const redeem = spendOf(redeemWitness)
    const kinds = async (list: readonly ParsedTransaction[]) => (await derive(mined(...list), both)).map((event) => event.kind)
    expect(await kinds([funding, redeem])).toEqual(['initiated', 'initiated', 'redeemed'])
    expect(await kinds([redeem, funding])).toEqual(['redeemed', 'initiated', 'initiated'])
    expect(await kinds([redeem])).toEqual([])
  })

  it('sees a deposit that a redeem pays into another watched swap', async () => {
    const chained = transaction([{ from: deposit, witness: redeemWitness }], [[otherHtlc.script, 90_000n]])
    const events = await derive(mined(chained), [watch(htlc, 20n, [deposit]), watch(otherHtlc, 21n)])
    expect(events.map((e) => [e.kind, e.index])).toEqual([
      ['redeemed', 'in:0'],
      ['initiated', 'out:0'],
    ])
  })
})
