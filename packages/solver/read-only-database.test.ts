/** Tests a solver whose database cannot be written. */

import { createSigningKey } from '@tandem/party/solver-auth/signing-key.ts'
import { sharedStore } from '@tandem/party/store/shared-store.fixture.ts'
import { testLog } from '@tandem/runtime/test-log.fixture.ts'
import { createSolverClient, type SolverClient } from '@tandem/service/solver-client.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeReadOnly } from '../../test/database.ts'
import { createChanges } from './changes.ts'
import { createSolverServer } from './server.ts'
import { btc, openSolver, orderRequest, wbtc } from './solver.fixture.ts'

const [solverKey, serviceKey] = [createSigningKey('51'.repeat(32)), createSigningKey('52'.repeat(32))]
const id = 'the solver'
const logged: string[] = []
let admitted = true
const store = sharedStore()
let server: ReturnType<typeof createSolverServer>
let baseUrl: string
beforeAll(async () => {
  const { context } = await openSolver(store)
  server = createSolverServer({
    context,
    authentication: { key: solverKey, services: [{ id: 'a service', publicKey: serviceKey.publicKey }] },
    log: testLog((line) => logged.push(line)),
    chainHealthy: () => true,
    admits: () => admitted,
    changes: createChanges(),
    onHint: () => undefined,
    announcedChains: () => [],
  })
  baseUrl = await server.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server.close()
})

/** Each client is new: after a refusal that names a time, a client repeats it until then. */
const client = (): SolverClient =>
  createSolverClient({ id, baseUrl, signingKey: serviceKey, publicKey: solverKey.publicKey, timeoutMs: 60_000 })
const quoteRequest = { from: btc, to: wbtc, from_amount: '1000000', extra_fee_bips: 0, indicative: false }

test('a solver whose database cannot be written says so, whether swaps wait for it already or not', async () => {
  expect(await client().health()).toMatchObject({ overloaded: false })
  await makeReadOnly(store.url)
  // The connections that ended may fail one request each.
  await expect.poll(() => client().health()).toMatchObject({ overloaded: true, problem: 'the database is read-only' })
  const refusal = { code: 'chain_unavailable', message: 'the solver cannot work: the database is read-only', retryAfterSeconds: 2 }
  const answerOf = (call: Promise<unknown>) => call.catch((error: unknown) => error)
  for (admitted of [true, false]) {
    await expect.poll(() => answerOf(client().quote(quoteRequest))).toMatchObject(refusal)
    await expect.poll(() => answerOf(client().order(orderRequest()))).toMatchObject(refusal)
  }
  expect(logged.join('')).not.toContain('unexpectedly')
})
