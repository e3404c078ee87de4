/** Tests the signature hash of one input against a general transaction builder. */
import { SigHash } from '@scure/btc-signer'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { expect, it } from 'vitest'
import { randomSigner, regtest } from '../../server/bitcoin.fixture.ts'
import { htlcOf } from '../htlc.ts'
import { identityOf } from '../script/user-key.ts'
import { compose, REPLACEABLE_SEQUENCE } from '../wallet/sign.ts'
import { singleInputHash } from './single-input-hash.ts'

it.each(['the key path', 'a leaf'])('a general transaction builder computes the same hash for %s', (path) => {
  const { script, instantRefund } = htlcOf(
    {
      asset: 'bitcoin_regtest:btc',
      initiator: identityOf(randomSigner()),
      redeemer: identityOf(randomSigner()),
      amount: 1n,
      secretHash: hashSecret('11'.repeat(32)),
      timelock: 144n,
    },
    regtest,
  )
  const deposit = `${'0123456789abcdef'.repeat(4)}:70000`
  const amount = 2_100_000_000_000_000n
  const output = { amount: 2_099_999_999_999_999n, script: new Uint8Array(300).fill(0x51) }
  const leaf = path === 'a leaf' ? instantRefund.script : null
  const transaction = compose([{ outpoint: deposit, amount }], script, REPLACEABLE_SEQUENCE, [output])
  const expected = transaction.preimageWitnessV1(0, [script], SigHash.SINGLE_ANYONECANPAY, [amount], undefined, leaf ?? undefined)
  expect(singleInputHash({ deposit, amount, script, output }, leaf)).toEqual(expected)
})
