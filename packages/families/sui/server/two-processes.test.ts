/** These tests run actions of one key in two processes on one database: they never spend the same version of a coin. */

import type { OthersQuery, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import { createEd25519Key } from '@tandem/keys/ed25519.ts'
import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { type KeyUse, readOthers, useKey } from '@tandem/party/engine/key-hold.ts'
import { type LeasedAction, leaseActions, syncWanted } from '@tandem/party/store/actions/actions.ts'
import { readAttempts } from '@tandem/party/store/actions/attempts.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { openTestStore, putOrder } from '@tandem/party/store/store.fixture.ts'
import { createSecret, hashSecret } from '@tandem/protocol/secret.ts'
import { afterAll, expect, it } from 'vitest'
import { newKey, SUI } from '../local/sui.fixture.ts'
import { accountOf } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { readHtlcState } from './contract-state.ts'
import { createDeployments } from './deployments.ts'
import { createExecutor } from './execute.ts'
import { connectNode } from './nodes/connect-node.ts'
import { createFamilyFixture } from './sui.fixture.ts'
import { verifyPackage } from './verify-package.ts'

const ACTIONS = 6
const [fixture, store] = await Promise.all([createFamilyFixture(), openTestStore()])
const { devnet, chain } = fixture
const node = connectNode(chain, { endpoints: { rpc: [devnet.url] } })
afterAll(async () => {
  node.close()
  await Promise.all([fixture.close(), store.close()])
})

const key = createEd25519Key(newKey())
const sender = accountOf(key)
const contract = fixture.contracts.of('sui_localnet:sui')
const startProcess = () =>
  createExecutor(
    chain,
    node,
    createDeployments(node, (id) => verifyPackage(node, id)),
  )

/** `dies` throws after the record, before the broadcast. */
async function openOutbox(db: Database, action: LeasedAction, dies: boolean): Promise<Outbox> {
  const now = BigInt(Math.floor(Date.now() / 1000))
  const use: KeyUse = { chain: chain.id, sender, actions: [action], holdsSecret: false }
  const range = ({ fromNonce, since }: OthersQuery = {}) => ({ since: since ?? 0n, fromNonce: fromNonce ?? null })
  return {
    key,
    attempts: await readAttempts(db, action.key),
    readOthers: (query) => readOthers(db, use, range(query)),
    withKey: (work) =>
      useKey(db, use, (hold) =>
        work({
          signer: key.signerFor(testPurpose),
          readOthers: (query) => hold.readOthers(range(query)),
          async record(attempt) {
            await hold.record({ ...attempt, at: now })
            if (dies) throw new Error('the process died')
          },
        }),
      ),
    makeDue: async () => undefined,
    noteReverted: async () => undefined,
    secondsLeft: null,
    now,
  }
}

it('actions at the same time, of which some die before they send, spend each version of a coin once', async () => {
  await devnet.fund(SUI_TYPE, sender, ...Array.from({ length: ACTIONS - 2 }, () => 10n * SUI))
  devnet.chain.mine()
  const ids = (await Promise.all(Array.from({ length: ACTIONS }, () => putOrder(store.db)))).map(({ order }) => order.id)
  const wanted = ids.map((orderId) => ({ orderId, leg: 'destination', verb: 'initiate' }) as const)
  await syncWanted(store.db, ids, wanted)
  const swaps = (await leaseActions(store.db, 'engine', 60, { limit: ACTIONS })).map((action) => ({
    action,
    terms: {
      asset: contract.asset,
      initiator: sender,
      redeemer: fixture.user.address,
      amount: SUI,
      secretHash: hashSecret(createSecret()),
      timelock: 600_000n,
    },
  }))
  expect(swaps).toHaveLength(ACTIONS)
  const processes = [
    { db: store.db, executor: startProcess() },
    { db: store.other, executor: startProcess() },
  ]
  const round = (dies: (action: number) => boolean) =>
    Promise.allSettled(
      swaps.map(async ({ action, terms }, i) => {
        const own = processes[i % 2]
        return own?.executor.initiate(contract, terms, await openOutbox(own.db, action, dies(i)))
      }),
    )
  await round((action) => action % 2 === 0)
  await round((action) => action % 3 === 0)
  // There are fewer coins than actions.
  await round(() => false)
  const last = await round(() => false)
  expect(last.map(({ status }) => status)).toEqual(swaps.map(() => 'fulfilled'))
  const states = swaps.map(({ terms }) => readHtlcState(node, fixture.deployedOf(contract.asset), terms))
  expect(await Promise.all(states)).toEqual(swaps.map(() => 'open'))
  const attempts = await store.db.selectFrom('attempts').select('slots').execute()
  const spent = attempts.flatMap(({ slots }) => slots.filter((slot) => slot.startsWith('0x')))
  expect(spent.length).toBeGreaterThanOrEqual(ACTIONS)
  expect(new Set(spent).size).toBe(spent.length)
})
