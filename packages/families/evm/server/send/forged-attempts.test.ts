/** Tests that a fee bump signs nothing that somebody else wrote into the table of attempts. */

import { createMemoryOutbox } from '@tandem/chain-kit/testing/outbox.fixture.ts'
import { createKey } from '@tandem/keys/keyring.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { createSecret } from '@tandem/protocol/secret.ts'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { beforeEach, expect, it } from 'vitest'
import { accountOf } from '../../terms/address.ts'
import { chainIdOf } from '../../terms/htlc.ts'
import { openEvmClient } from '../client.fixture.ts'
import { readAttempt, signTransaction } from './transaction.ts'

const { fixture, client, node, termsFor, phaseOf } = await openEvmClient()
const thief = createKey('secp256k1', '7e'.repeat(32))
const thiefAddress = accountOf(thief)
const stolen = 5n * 10n ** 18n
const outbox = openedForEach(async () => createMemoryOutbox(fixture.solver.signer))
let terms: HtlcTerms

beforeEach(() => {
  terms = termsFor(createSecret(), 'eth')
})

/** The thief signs a payment to itself at our next nonce. Its row names a transaction that the nodes have. */
async function forge(): Promise<void> {
  const known = await client.initiate(termsFor(createSecret(), 'eth'), outbox.open('known'))
  await fixture.mine()
  const nonce = await node.transactionCount(fixture.solver.address)
  const forged = await signTransaction({ chainId: chainIdOf(fixture.chain), gasPrice: 'eip1559' }, thief.signerFor(testPurpose), {
    call: { to: thiefAddress, data: '0x', value: stolen },
    nonce,
    gas: 21_000n,
    fees: { maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n },
  })
  await outbox.open('a').record({ ...forged, tx: known })
  outbox.passSeconds(fixture.chain.feeBumpSeconds)
}

it('a transaction that somebody else signed is not signed for by us, and keeps nothing from being done', async () => {
  const before = await node.balance(thiefAddress)
  await forge()
  await client.initiate(terms, outbox.open('a'))
  await fixture.mine()
  expect(await node.balance(thiefAddress)).toBe(before)
  const [, ...ours] = outbox.attempts('a').map((attempt) => readAttempt(attempt).call)
  expect(ours.map(({ to }) => to)).not.toContain(thiefAddress)
  expect(await phaseOf(terms)).toBe('initiated')
})

it('no stranger decides what a cancellation replaces', async () => {
  await forge()
  expect(await client.cancel?.(outbox.open('a'))).toBeNull()
  expect(outbox.attempts('a')).toHaveLength(1)
})
