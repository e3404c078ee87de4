/** Tests that a spend is the same whether it is signed in this thread or in a worker. */
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { expect, it } from 'vitest'
import { htlcOf } from '../../terms/htlc.ts'
import { identityOf } from '../../terms/script/user-key.ts'
import { signLeafSpends } from '../../terms/wallet/sign.ts'
import { randomSigner, regtest } from '../bitcoin.fixture.ts'
import { parseTransaction } from '../script/transaction.ts'
import { signSpend } from './spend-jobs.ts'

const [initiator, redeemer, secret] = [randomSigner(), randomSigner(), createSecret()]
const { script, redeem } = htlcOf(
  {
    asset: 'bitcoin_regtest:btc',
    initiator: identityOf(initiator),
    redeemer: identityOf(redeemer),
    amount: 100_000n,
    secretHash: hashSecret(secret),
    timelock: 20n,
  },
  regtest,
)
const inputs = (count: number) =>
  Array.from({ length: count }, (_, vout) => ({
    outpoint: `${'ab'.repeat(32)}:${vout}`,
    amount: 10_000n,
    script,
    leaf: redeem,
    items: [Buffer.from(secret, 'hex')],
    timelock: null,
  }))
const output = { amount: 5_000n, script }

it.each([1, 3, 4, 12])('signs the same transaction for %i deposits, in this thread or in a worker', async (count) => {
  const signed = await signSpend(redeemer, inputs(count), output)
  expect(signed.txid).toBe(signLeafSpends(redeemer, inputs(count), output).txid)
  const parsed = parseTransaction(signed.raw)
  expect(parsed.inputs.map(({ witness }) => witness.map((item) => item.length))).toEqual(
    inputs(count).map(() => [64, 32, redeem.script.length, redeem.controlBlock.length]),
  )
})

it.each([3, 4])('is refused by a guarded signer, for %i deposits', async (count) => {
  const refuse = () => {
    throw new Error('the facts are too old')
  }
  await expect(signSpend({ ...redeemer, assertMaySign: refuse }, inputs(count), output)).rejects.toThrow('too old')
})
