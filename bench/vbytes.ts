/** Measures the virtual size of every Bitcoin spend we make, on the signed transactions themselves. */

import { hexToBytes } from '@noble/hashes/utils.js'
import { scriptOfAddress, walletAddress } from '../src/chains/bitcoin/address.ts'
import { htlcOf } from '../src/chains/bitcoin/htlc.ts'
import { identityOf } from '../src/chains/bitcoin/identity.ts'
import { networkOf } from '../src/chains/bitcoin/networks.ts'
import { type SignedTransaction, type SpendableCoin, signLeafSpend, signWalletPayment } from '../src/chains/bitcoin/sign.ts'
import { parseTransaction } from '../src/chains/bitcoin/transaction.ts'
import { createSigner } from '../src/engine/signer.ts'
import { hashSecret } from '../src/protocol/secret.ts'

export type VbytesRow = { readonly operation: string; readonly vbytes: number; readonly reference: number | null }

/** What the redeem and refund of the prototype took: P2TR script path, one deposit, paid to P2WPKH; the redeem with its size check. */
const REFERENCE = { redeem: 143, refund: 133 } as const

const SECRET = '03'.repeat(32)
const DEPOSIT = 100_000n

export async function measureVbytes(): Promise<VbytesRow[]> {
  const network = networkOf('bitcoin:regtest')
  const initiator = createSigner('01'.repeat(32))
  const redeemer = createSigner('02'.repeat(32))
  const htlc = htlcOf(
    {
      asset: 'bitcoin_regtest:btc',
      initiator: identityOf(initiator),
      redeemer: identityOf(redeemer),
      amount: DEPOSIT,
      secretHash: hashSecret(SECRET),
      timelock: 12n,
    },
    network,
  )
  const wallet = scriptOfAddress(walletAddress(initiator.publicKey, network), network)
  const pay = (amount: bigint) => ({ amount, script: wallet })
  const redeem = (deposits: number) =>
    signLeafSpend(redeemer, coins(deposits), htlc.script, htlc.redeem, {
      items: [hexToBytes(SECRET)],
      timelock: null,
      output: pay(DEPOSIT / 2n),
    })
  const refund = (deposits: number) =>
    signLeafSpend(initiator, coins(deposits), htlc.script, htlc.refund, { items: [], timelock: 12n, output: pay(DEPOSIT / 2n) })
  const lock = { amount: DEPOSIT / 2n, script: htlc.script }

  return [
    row('initiate, 1 coin, with change', signWalletPayment(initiator, coins(1), [lock, pay(1_000n)]), null),
    row('initiate, 1 coin, without change', signWalletPayment(initiator, coins(1), [lock]), null),
    row('initiate, 2 coins, with change', signWalletPayment(initiator, coins(2), [lock, pay(1_000n)]), null),
    row('redeem, 1 deposit to P2WPKH', redeem(1), REFERENCE.redeem),
    row('redeem, 2 deposits to P2WPKH', redeem(2), null),
    row('refund, 1 deposit to P2WPKH', refund(1), REFERENCE.refund),
    row('refund, 2 deposits to P2WPKH', refund(2), null),
  ]
}

function coins(count: number): readonly SpendableCoin[] {
  return Array.from({ length: count }, (_, index) => ({ outpoint: `${'ab'.repeat(32)}:${index}`, amount: DEPOSIT }))
}

function row(operation: string, { raw }: SignedTransaction, reference: number | null): VbytesRow {
  return { operation, vbytes: Number(parseTransaction(raw).vsize), reference }
}
