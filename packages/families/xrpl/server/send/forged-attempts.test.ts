/** Tests that a row that somebody else wrote is not signed again when its fee is raised: the record of attempts is a table. */
import { readSwap } from '@tandem/chain-kit/testing/conformance.fixture.ts'
import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, expect, test } from 'vitest'
import { XRP } from '../../local/xrpl.fixture.ts'
import { networkField } from '../../terms/network.ts'
import { createFamilyFixture } from '../xrpl.fixture.ts'
import { type Call, readAttempt, signCall } from './transaction.ts'

const fixture = await createFamilyFixture()
const { devnet, user, solver } = fixture
const client = fixture.connect()
afterAll(async () => {
  await client.close()
  await fixture.close()
})

const secret = createSecret()
const termsOf = (initiator: string, redeemer: string) => ({
  asset: fixture.asset.id,
  amount: 5n * XRP,
  timelock: 600n,
  secretHash: hashSecret(secret),
  initiator,
  redeemer,
})

test('a transaction that somebody else signed is not signed for by us, and keeps nothing from being done', async () => {
  const outbox = createMemoryOutbox(solver.key)
  const known = await client.initiate(termsOf(solver.address, user.address), outbox.open('known'))
  const terms = termsOf(user.address, solver.address)
  await client.initiate(terms, createMemoryOutbox(user.key).open('source'))
  devnet.chain.mine()
  const next = (outbox.attempts('known')[0]?.nonce ?? 0n) + 1n
  const thief = createKey('ed25519', randomPrivateKey('ed25519'))
  const payment = { TransactionType: 'Payment', Destination: user.address, Amount: '1000000000' }
  const { height } = await client.tip()
  const envelope = { sequence: next, fees: { perUnit: 10n, lastLedger: height + 10n }, network: networkField(client.chain) }
  const forged = await signCall(thief.signerFor(testPurpose), envelope, payment as unknown as Call)
  // Nodes have the transaction that its row names, so it is not sent again.
  await outbox.open('redeem').record({ ...forged, tx: known })
  outbox.passSeconds(client.chain.feeBumpSeconds)
  const { deposits } = (await readSwap(client, terms, 2n)).swap
  await client.redeem(terms, { deposits, to: null, secret }, outbox.open('redeem'))
  const [, ...ours] = outbox.attempts('redeem').map((attempt) => readAttempt(attempt).call.TransactionType)
  expect(ours).toEqual(['EscrowFinish'])
})
