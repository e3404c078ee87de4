import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { OutScript, p2tr, p2wsh, RawTx } from '@scure/btc-signer'
import { describe, expect, it } from 'vitest'
import { createSigner } from '../../engine/signer.ts'
import type { HtlcTerms } from '../../protocol/htlc.ts'
import { hashSecret } from '../../protocol/secret.ts'
import type { WatchedSwap } from '../family.ts'
import { scriptOfAddress } from './address.ts'
import { deriveEvents, type SeenTransaction } from './events.ts'
import { htlcOf } from './htlc.ts'
import { identityOf } from './identity.ts'
import { networkOf } from './networks.ts'
import { type ParsedTransaction, parseTransaction } from './transaction.ts'

const network = networkOf('bitcoin:regtest')
const secret = '0a'.repeat(32)
const termsOf = (timelock: bigint): HtlcTerms => ({
  asset: 'bitcoin_regtest:btc',
  initiator: identityOf(createSigner('01'.repeat(32))),
  redeemer: identityOf(createSigner('02'.repeat(32))),
  amount: 100_000n,
  secretHash: hashSecret(secret),
  timelock,
})
const htlc = htlcOf(termsOf(20n), network)
const otherHtlc = htlcOf(termsOf(21n), network)
const watch = (of: typeof htlc, timelock: bigint, deposits: readonly string[] = []): WatchedSwap => ({
  swapId: of.address,
  terms: termsOf(timelock),
  deposits,
})
const scriptOf = (swap: WatchedSwap) => bytesToHex(scriptOfAddress(swap.swapId, network))
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
  it('sees every output that pays a watched script', () => {
    expect(deriveEvents(mined(funding), both, scriptOf)).toEqual([
      { kind: 'initiated', swapId: htlc.address, tx: funding.txid(), index: 'out:1', deposit, amount: 100_000n, block },
      {
        kind: 'initiated',
        swapId: otherHtlc.address,
        tx: funding.txid(),
        index: 'out:2',
        deposit: `${funding.txid()}:2`,
        amount: 7n,
        block,
      },
    ])
  })

  it('ignores the same leaves under another key or in another wrapper', () => {
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
    expect(deriveEvents(mined(lookAlike), both, scriptOf)).toEqual([])
  })
})

describe('spends', () => {
  const spendOf = (witness: readonly Uint8Array[]) => transaction([{ from: deposit, witness }], [[stranger, 1n]])
  const eventsOf = (tx: ParsedTransaction) => deriveEvents(mined(tx), [watch(htlc, 20n, [deposit])], scriptOf)

  it('reads the secret out of a redeem', () => {
    const redeem = spendOf(redeemWitness)
    expect(eventsOf(redeem)).toEqual([{ kind: 'redeemed', swapId: htlc.address, tx: redeem.txid(), index: 'in:0', deposit, secret, block }])
  })

  it.each([
    ['behind an annex', [...redeemWitness, Uint8Array.of(0x50, ...bytes(31, 9))]],
    ['among extra items', [bytes(32, 5), bytes(33, 0x0a), ...redeemWitness]],
    ['after a 32-byte decoy', [bytes(32, 0x0b), secretBytes, htlc.redeem.script, htlc.redeem.controlBlock]],
  ])('finds the secret %s', (_, witness) => {
    expect(eventsOf(spendOf(witness))).toMatchObject([{ kind: 'redeemed', secret }])
  })

  it('takes any other spend of a deposit for a refund', () => {
    const redeemBy = (item: Uint8Array) => spendOf([bytes(64, 2), item, htlc.redeem.script, htlc.redeem.controlBlock])
    expect(eventsOf(spendOf(refundWitness))).toMatchObject([{ kind: 'refunded', index: 'in:0', deposit }])
    expect(eventsOf(spendOf([bytes(64, 2), bytes(64, 3), htlc.instantRefund.script, htlc.instantRefund.controlBlock]))).toMatchObject([
      { kind: 'refunded' },
    ])
    expect(eventsOf(spendOf([bytes(64, 2)]))).toMatchObject([{ kind: 'refunded' }])
    expect(eventsOf(redeemBy(bytes(32, 0x0b)))).toMatchObject([{ kind: 'refunded' }])
    // 33 bytes that begin with the secret are not the secret.
    expect(eventsOf(redeemBy(bytes(33, 0x0a)))).toMatchObject([{ kind: 'refunded' }])
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
  ])('is not fooled by a refund that shows the secret %s', (_, witnessOf) => {
    // A secret that begins like an annex (BIP341) can stand in its place.
    const shown = Uint8Array.of(0x50, ...bytes(31, 0x0a))
    const terms = { ...termsOf(20n), secretHash: hashSecret(bytesToHex(shown)) }
    const { address, redeem } = htlcOf(terms, network)
    const spend = spendOf(witnessOf(shown, redeem.script))
    const events = deriveEvents(mined(spend), [{ swapId: address, terms, deposits: [deposit] }], scriptOf)
    expect(events.map((event) => event.kind)).toEqual(['refunded'])
  })

  it('takes nothing but 32 bytes for a secret, even if it hashes right', () => {
    const long = bytes(33, 0x0c)
    const terms = { ...termsOf(20n), secretHash: bytesToHex(sha256(long)) }
    const { address, redeem } = htlcOf(terms, network)
    const spend = spendOf([bytes(64, 2), long, redeem.script, redeem.controlBlock])
    const events = deriveEvents(mined(spend), [{ swapId: address, terms, deposits: [deposit] }], scriptOf)
    expect(events.map((event) => event.kind)).toEqual(['refunded'])
  })

  it('tells the inputs of one transaction apart', () => {
    const otherDeposit = `${funding.txid()}:2`
    const mixed = transaction(
      [
        { from: coin(3), witness: [bytes(71, 1), secretBytes] },
        { from: otherDeposit, witness: refundWitness },
        { from: deposit, witness: redeemWitness },
      ],
      [[stranger, 1n]],
    )
    const events = deriveEvents(mined(mixed), [watch(htlc, 20n, [deposit]), watch(otherHtlc, 21n, [otherDeposit])], scriptOf)
    expect(events.map(({ kind, index, swapId }) => [kind, index, swapId])).toEqual([
      ['refunded', 'in:1', otherHtlc.address],
      ['redeemed', 'in:2', htlc.address],
    ])
  })

  it('knows deposits of the same scan, in any order, and ignores spends of unknown ones', () => {
    const redeem = spendOf(redeemWitness)
    const kinds = (list: readonly ParsedTransaction[]) => deriveEvents(mined(...list), both, scriptOf).map((event) => event.kind)
    expect(kinds([funding, redeem])).toEqual(['initiated', 'initiated', 'redeemed'])
    expect(kinds([redeem, funding])).toEqual(['redeemed', 'initiated', 'initiated'])
    expect(kinds([redeem])).toEqual([])
  })

  it('sees a deposit that a redeem pays into another watched swap', () => {
    const chained = transaction([{ from: deposit, witness: redeemWitness }], [[otherHtlc.script, 90_000n]])
    expect(
      deriveEvents(mined(chained), [watch(htlc, 20n, [deposit]), watch(otherHtlc, 21n)], scriptOf).map((e) => [e.kind, e.index]),
    ).toEqual([
      ['redeemed', 'in:0'],
      ['initiated', 'out:0'],
    ])
  })
})
