/** Tests that a transfer never gets a second nonce, whatever nodes answer, and what becomes of it when another transaction takes its nonce. */
import { createKey } from '@tandem/keys/keyring.ts'
import { expect, test } from 'vitest'
import type { Attempt } from '../port/outbox.ts'
import { createMemoryOutbox } from '../testing/outbox.fixture.ts'
import type { Lane, Outcome } from './lane.ts'
import type { NonceTypes } from './nonce-account.ts'
import { createNonceTransfers } from './transfer.ts'

type Call = { readonly to: string; readonly amount: bigint }
interface Types extends NonceTypes {
  readonly call: Call
  readonly signed: { readonly tx: string; readonly at: bigint; readonly nonce: bigint; readonly call: Call }
  readonly cost: bigint
  readonly fees: bigint
}

const request = { asset: 'a:coin', recipient: 'safe', amount: 5n } as const
const call = { to: 'safe', amount: 5n }

function open(verdict: 'accepted' | Types['refusal']) {
  const outbox = createMemoryOutbox(createKey('secp256k1', '11'.repeat(32)))
  const world = { allocated: 0, filled: [] as Call[], next: 7n, outcomes: new Map<string, Outcome>() }
  const read = ({ tx, at, nonce }: Attempt) => ({ tx, at, nonce: nonce ?? 0n, call })
  const noop = { to: 'self', amount: 0n }
  const transfers = createNonceTransfers<Types>({
    async openLane({ attempts, withKey }) {
      const own = attempts.map(read)
      const lane: Lane<Types> = {
        pending: own.filter(({ nonce }) => nonce === world.next),
        unmined: async () => own.filter(({ nonce }) => nonce >= world.next),
        findPending: async () => null,
        follow: async () => ({ kind: 'waits' }),
        broadcast: async () => verdict,
        isPartlyAccepted: () => true,
        async allocate(wanted) {
          if (wanted.to === noop.to) {
            world.filled.push(wanted)
            return { signed: { tx: 'noop', at: 0n, nonce: world.next, call: wanted }, isNew: false }
          }
          world.allocated += 1
          const attempt = { tx: `tx ${world.allocated}`, raw: '', slots: [], nonce: 6n + BigInt(world.allocated), feeRate: 1n }
          await withKey((held) => held.record(attempt))
          return { signed: { ...attempt, at: 0n, call: wanted }, isNew: true }
        },
        replacement: { noop, isNoop: ({ to }) => to === noop.to, replace: () => Promise.reject(new Error('nothing is replaced here')) },
      }
      return lane
    },
    read,
    callOf: ({ recipient, amount }) => ({ to: recipient, amount }),
    isSameCall: (a, b) => a.to === b.to && a.amount === b.amount,
    senderOf: () => 'self',
    estimate: async () => 1n,
    estimateNoop: async () => 1n,
    outcome: async ({ tx }) => world.outcomes.get(tx) ?? null,
    minedAt: async () => 100n,
    nextNonce: async () => world.next,
  })
  return {
    world,
    send: () => transfers.send(request, outbox.open('withdrawal/1')),
    outcome: () => transfers.outcome(request, 'self', outbox.attempts('withdrawal/1')),
  }
}

test.each(['nonce-used', 'underpriced', 'wrong-gas'] as const)(
  'a transfer that nodes refuse as %s may be mined already: no other nonce is taken',
  async (verdict) => {
    const { world, send } = open(verdict)
    await expect(send()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(world.allocated).toBe(1)
    expect(await send()).toBe('tx 1')
    expect(world.allocated).toBe(1)
  },
)

test('a nonce that nobody fills before it is filled, and the transfer keeps its own', async () => {
  const { world, send } = open('accepted')
  await send()
  world.next = 6n
  expect(await send()).toBe('tx 1')
  expect(world).toMatchObject({ allocated: 1, filled: [{ to: 'self' }] })
})

test('a transfer whose nonce another transaction used has failed, and signs nothing more', async () => {
  const { world, send, outcome } = open('accepted')
  await send()
  expect(await outcome()).toEqual({ kind: 'pending' })
  world.next = 8n
  await expect(send()).rejects.toMatchObject({ kind: 'superseded' })
  expect(world.allocated).toBe(1)
  expect(await outcome()).toMatchObject({ kind: 'failed', why: expect.stringContaining('its nonce 7 was used'), height: null })
  world.outcomes.set('tx 1', 'success')
  expect(await outcome()).toEqual({ kind: 'paid', tx: 'tx 1', height: 100n })
  world.outcomes.set('tx 1', 'reverted')
  expect(await outcome()).toMatchObject({ kind: 'failed', height: 100n })
})
