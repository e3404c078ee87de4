/** Tests what the service checks before it shows a secret or sends a refund. */
import type { PlannedPayout } from '@tandem/chain-kit/port/abilities/reading.ts'
import { createKeyring } from '@tandem/keys/keyring.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { testEvidence } from '@tandem/party/engine/evidence/evidence.fixture.ts'
import type { Step } from '@tandem/party/engine/party.ts'
import { noGuard } from '@tandem/party/engine/rollback/rollback-guard.ts'
import { createApp } from '@tandem/party/store/apps/apps.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { openTestStore, putOrder, VAULT_KEY } from '@tandem/party/store/store.fixture.ts'
import type { Order } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createServiceParty } from './party.ts'

test('no secret is shown for a recipient whose other payouts failed too often, nor for one that could reject when those of its app did', async () => {
  const store = await openTestStore()
  await createApp(store.db, 'shop')
  const relay = createKeyring([createTestSigner('11'.repeat(32))])
  const options = { db: store.db, vault: createVault(VAULT_KEY), relay, onReconciled: () => new Map() }
  const asked: (PlannedPayout | null)[] = []
  const client = {
    verifyPayout: async () => undefined,
    checkRecipient: async (_address: string, _asset: string, payout: PlannedPayout | null) => {
      asked.push(payout)
      return 'it is a contract'
    },
  }
  let made = 0
  const make = async (recipient: string, weight = 0) => {
    const { order } = await putOrder(store.db, { app: 'shop', sourceOwner: `${made++}`, destinationOwner: recipient })
    if (weight > 0) await sql`select note_failed_payout(${order.id}, ${weight})`.execute(store.db)
    return order
  }
  /** Each call gets a new party, because a party remembers the list for a moment. */
  const authorize = (order: Awaited<ReturnType<typeof make>>) =>
    createServiceParty(options).authorize({
      state: { order, secret: null, secretShown: false },
      client,
      verb: 'redeem',
      leg: 'destination',
      evidence: testEvidence,
    } as unknown as Step)

  const [first, second] = [await make('hostile', 3), await make('hostile', 3)]
  await authorize(first)
  const third = await make('hostile')
  await expect(authorize(third)).rejects.toMatchObject({ refusal: expect.stringContaining('too many payouts to hostile failed') })
  await authorize(await make('honest'))
  expect(asked).toEqual([])
  for (let weight = 6; weight < 60; weight += 3) await make(`clone ${weight}`, 3)
  await expect(authorize(await make('honest'))).rejects.toMatchObject({ refusal: expect.stringContaining('it is a contract') })
  expect(asked).toEqual([{ amount: second.destination.terms.amount, payer: null, isTrusted: false }])
  await store.close()
})

test('the cost of a signed instant refund is read again each time that it is sent, and not for other refunds', async () => {
  const asked: unknown[] = []
  const order = { id: 'an order', source: { clientKey: true } }
  const party = createServiceParty({
    db: {} as never,
    vault: {} as never,
    relay: {} as never,
    onReconciled: () => new Map(),
    onInstantRefund: async (of) => void asked.push(of),
  })
  const signed = { kind: 'instant-refund', refunds: [{ deposit: 'a deposit' }] }
  const refund = (grants: readonly unknown[]) =>
    party.authorize({
      state: {
        order,
        grants,
        fill: { signature: 'signed', deposits: [] },
        source: { deposits: [{ id: 'a deposit', block: {}, spend: null }] },
      },
      client: {},
      verb: 'refund',
      leg: 'source',
    } as unknown as Step)
  await refund([])
  expect(asked).toEqual([])
  await refund([signed])
  await refund([signed])
  expect(asked).toEqual([order, order])
})

test('while a restored backup waits for the operator, no signed instant refund is sent; other refunds and redeems go on', async () => {
  let reason: string | null = 'the database was restored from an older backup'
  const [asked, noted]: [unknown[], string[]] = [[], []]
  const party = createServiceParty({
    db: {} as never,
    vault: {} as never,
    relay: {} as never,
    onReconciled: () => new Map(),
    onInstantRefund: async (of) => void asked.push(of),
    guard: {
      ...noGuard,
      whyUnsafe: async () => reason,
      async noteAttempt(_key, tx) {
        if (reason !== null) throw new Error('the disk is full')
        noted.push(tx)
      },
    },
  })
  const order = { id: 'an order', source: { clientKey: true }, destination: { terms: {} } }
  const source = { deposits: [{ id: 'a deposit', block: {}, spend: null }] }
  const step = (verb: 'refund' | 'redeem', grants: readonly unknown[]) =>
    ({
      state: { order, grants, source, fill: { signature: 'signed', deposits: [] }, secret: 'seen', secretShown: true },
      client: {},
      verb,
      leg: verb === 'refund' ? 'source' : 'destination',
    }) as unknown as Step
  const signed = { kind: 'instant-refund', refunds: [{ deposit: 'a deposit' }] }
  await expect(party.authorize(step('refund', [signed]))).rejects.toMatchObject({ kind: 'would-fail', message: reason })
  await party.authorize(step('refund', []))
  await party.authorize(step('redeem', [signed]))
  // A redeem goes on without its line in the release log.
  await party.onRecorded?.('a redeem' as never, 'unnoted')
  expect([asked, noted]).toEqual([[], []])
  reason = null
  await party.authorize(step('refund', [signed]))
  await party.onRecorded?.('a redeem' as never, 'noted')
  expect([asked, noted]).toEqual([[order], ['noted']])
})

test('the fee of returning money is charged for deposit addresses only, and a refusal stops the return', async () => {
  const asked: unknown[] = []
  const party = createServiceParty({
    db: {} as never,
    vault: {} as never,
    relay: createKeyring([createTestSigner('11'.repeat(32))]),
    onReconciled: () => new Map(),
    async payForReclaim(order, amount) {
      asked.push([order.id, amount])
      if (amount < 5n) throw new Error('too little')
    },
    async onReclaim(order) {
      asked.push(order.id)
    },
  })
  const orderAt = (depositAddress: string | null) => ({ id: 'an order', source: { depositAddress } }) as unknown as Order
  const authorize = (depositAddress: string | null, verb = 'reclaim') =>
    party.authorize({
      state: { order: orderAt(depositAddress), grants: [], secret: null, secretShown: false },
      client: {},
      verb,
      leg: 'source',
      evidence: null,
    } as unknown as Step)
  await authorize(null)
  await authorize('address', 'initiate')
  await party.payForReclaim?.(orderAt(null), 4n)
  expect(asked).toEqual([])
  await authorize('address')
  await party.payForReclaim?.(orderAt('address'), 7n)
  await expect(party.payForReclaim?.(orderAt('address'), 4n)).rejects.toThrow('too little')
  expect(asked).toEqual(['an order', ['an order', 7n], ['an order', 4n]])
})
