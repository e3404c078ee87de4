/** The virtual size of every Bitcoin spend of the product is measured on the signed transactions. */
import { hexToBytes } from '@noble/hashes/utils.js'
import { draftCosigned, startCosigning } from '@tandem/bitcoin/server/cosign/cosign.ts'
import {
  answerInstantRefund,
  beginInstantRefund,
  combineInstantRefund,
  composeRefunds,
  instantRefundHashes,
  readInstantRefund,
  signInstantRefund,
} from '@tandem/bitcoin/server/cosign/instant-refund.ts'
import { parseTransaction } from '@tandem/bitcoin/server/script/transaction.ts'
import { htlcOf } from '@tandem/bitcoin/terms/htlc.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { scriptOfAddress, walletAddress } from '@tandem/bitcoin/terms/script/address.ts'
import { identityOf } from '@tandem/bitcoin/terms/script/user-key.ts'
import { finish, type SpendableCoin, signLeafSpends, signWalletPayment } from '@tandem/bitcoin/terms/wallet/sign.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { SignedInstantRefund } from '@tandem/protocol/order.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { type Bench, ratio, type Size } from './bench.ts'

export type VbytesRow = { readonly operation: string; readonly vbytes: number; readonly reference: number | null }

/** Virtual bytes of the prototype's spends, P2TR with one deposit, paid to P2WPKH: script paths (the redeem with its size check) and the key path. */
const REFERENCE = { redeem: 143, refund: 133, instantRefund: 158, keyPath: 99, inBatch: 60 } as const

const DEPOSIT = 100_000n
const BATCHES = { full: 50, smallest: 2 }
const FEE_RATE = 1_000n

const network = networkOf('bitcoin:regtest')
const initiator = createTestSigner('01'.repeat(32))
const redeemer = createTestSigner('02'.repeat(32))
const wallet = walletAddress(redeemer.publicKey, network)

function secretOf(index: number): string {
  return (index + 3).toString(16).padStart(2, '0').repeat(32)
}

/** The HTLCs are of different orders: each has a secret of its own, and one deposit. */
function htlcs(count: number) {
  return coins(count).map(({ outpoint, amount }, index) => {
    const terms: HtlcTerms = {
      asset: 'bitcoin_regtest:btc',
      initiator: identityOf(initiator),
      redeemer: identityOf(redeemer),
      amount: DEPOSIT,
      secretHash: hashSecret(secretOf(index)),
      timelock: 12n,
    }
    return { terms, htlc: htlcOf(terms, network), deposits: [{ id: outpoint, amount }] }
  })
}

function pay(amount: bigint) {
  return { amount, script: scriptOfAddress(wallet, network) }
}

function leafSpend(verb: 'redeem' | 'refund', count: number): string {
  const isRedeem = verb === 'redeem'
  const inputs = htlcs(count).map(({ terms, htlc }, index) => ({
    outpoint: coins(count)[index]?.outpoint ?? '',
    amount: DEPOSIT,
    script: htlc.script,
    leaf: htlc[verb],
    items: isRedeem ? [hexToBytes(secretOf(index))] : [],
    timelock: isRedeem ? null : terms.timelock,
  }))
  return signLeafSpends(isRedeem ? redeemer : initiator, inputs, pay(DEPOSIT / 2n)).raw
}

function cosignedRedeem(count: number): string {
  const items = htlcs(count).map(({ terms, deposits }, index) => ({ terms, deposits, secret: secretOf(index) }))
  const session = startCosigning(
    network,
    items.map((item) => ({ ...item, signer: initiator })),
  )
  const withNonces = items.map((item, index) => ({ ...item, nonces: session.nonces[index] ?? [] }))
  return session.finish(draftCosigned(network, withNonces, redeemer, FEE_RATE))
}

function instantRefund(way: 'key path' | 'leaf'): string {
  const [first] = htlcs(1)
  if (first === undefined) throw new Error('no HTLC was made')
  const { terms, deposits } = first
  const refunds = deposits.map(({ id, amount }) => ({ deposit: id, amount, to: wallet, pays: amount / 2n }))
  const signed = way === 'leaf' ? signLeaf() : signKeyPath()
  const transaction = composeRefunds(network, terms, signed)
  for (const [index, refund] of signed.entries())
    transaction.updateInput(index, { finalScriptWitness: [...(readInstantRefund(network, terms, refund) ?? [])] }, true)
  return finish(transaction).raw

  function signKeyPath(): readonly SignedInstantRefund[] {
    const session = beginInstantRefund(network, terms, refunds, initiator)
    return session.finish(answerInstantRefund(network, terms, refunds, session.nonces, redeemer))
  }

  function signLeaf(): readonly SignedInstantRefund[] {
    const hashes = instantRefundHashes(network, terms, refunds)
    return refunds.flatMap((refund, index) => {
      const ofInitiator = `${Buffer.from(initiator.signSchnorr(hexToBytes(hashes[index] ?? ''))).toString('hex')}83`
      const ofRedeemer = signInstantRefund(network, terms, refund, redeemer)
      return combineInstantRefund(network, terms, refund, { initiator: ofInitiator, redeemer: ofRedeemer }) ?? []
    })
  }
}

export async function measureVbytes(size: Size): Promise<VbytesRow[]> {
  const batch = BATCHES[size]
  const lock = { amount: DEPOSIT / 2n, script: htlcs(1)[0]?.htlc.script ?? new Uint8Array() }
  return [
    row('initiate, 1 coin, with change', signWalletPayment(initiator, coins(1), [lock, pay(1_000n)]).raw, null),
    row('initiate, 1 coin, without change', signWalletPayment(initiator, coins(1), [lock]).raw, null),
    row('initiate, 2 coins, with change', signWalletPayment(initiator, coins(2), [lock, pay(1_000n)]).raw, null),
    row('redeem by both (key path)', cosignedRedeem(1), REFERENCE.keyPath),
    row(`redeem by both, each of ${batch} orders in one transaction`, cosignedRedeem(batch), REFERENCE.inBatch, batch),
    row('redeem by the secret (script path)', leafSpend('redeem', 1), REFERENCE.redeem),
    row(`redeem by the secret, each of ${batch} orders in one transaction`, leafSpend('redeem', batch), null, batch),
    row('refund (script path)', leafSpend('refund', 1), REFERENCE.refund),
    row(`refund, each of ${batch} deposits in one transaction`, leafSpend('refund', batch), null, batch),
    row(
      'instant refund by both (key path), with a sighash byte so that a fee input can be added',
      instantRefund('key path'),
      REFERENCE.keyPath + 1,
    ),
    row('instant refund, each signs for itself (script path)', instantRefund('leaf'), REFERENCE.instantRefund),
  ]
}

function coins(count: number): readonly SpendableCoin[] {
  return Array.from({ length: count }, (_, index) => ({ outpoint: `${'ab'.repeat(32)}:${index}`, amount: DEPOSIT }))
}

/** `parts` operations share the transaction; their part of it is rounded up. */
function row(operation: string, raw: string, reference: number | null, parts = 1): VbytesRow {
  return { operation, vbytes: Math.ceil(Number(parseTransaction(raw).vsize) / parts), reference }
}

export const vbytesBench: Bench = {
  name: 'vbytes',
  about: 'virtual size of every Bitcoin spend',
  conditions: 'Signed transactions paying to P2WPKH; one deposit unless said.',
  async run({ size }) {
    const rows = await measureVbytes(size)
    return {
      ok: true,
      table: {
        columns: ['operation', 'vB', 'reference vB', 'ratio'],
        rows: rows.map((row) => [row.operation, row.vbytes, row.reference ?? '–', ratio(row.vbytes, row.reference)]),
      },
    }
  },
}
