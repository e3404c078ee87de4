import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { createLogger } from '../log.ts'
import { startLocalStack } from './stack.ts'

test('chains without parties: the switch says that the solver is somebody else, and starts none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-stack-'))
  const [service, solver] = [await createTestDatabase(), await createTestDatabase()]
  const stack = await startLocalStack({
    folder,
    port: 0,
    log: createLogger({ name: 'stack', level: 'silent' }),
    databases: { serviceUrl: service.url, solverUrl: solver.url, close: async () => undefined },
    startParties: false,
  })
  try {
    const answer = await fetch(stack.info.solver_switch_url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ running: true }),
    })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ status: 'Error', error: expect.stringContaining('a process of its own') })
    expect(stack.solver.current()).toBeNull()
  } finally {
    await stack.stop()
    await Promise.all([service.drop(), solver.drop()])
    await rm(folder, { recursive: true, force: true })
  }
})
