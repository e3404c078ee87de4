/** Tests that an action ends although its node never answers. */
import { gate } from '@tandem/runtime/gate.fixture.ts'
import { describe, expect, test } from 'vitest'
import { readAttempts } from '../store/actions/attempts.ts'
import { sharedStore } from '../store/shared-store.fixture.ts'
import { executeInTime } from './action-deadline.ts'
import { freshEngine } from './engine.fixture.ts'
import { executeAction } from './executor.ts'

const store = sharedStore()
const fixture = freshEngine(store)

const LIMIT_MS = 300
const late = { kind: 'failed', error: 'it did not end within 0.3 s', againInMs: 500 }

describe('an action whose node never answers', () => {
  test.each(['initiate', 'sign', 'broadcast'] as const)('ends, and can be executed again: %s', async (question) => {
    await fixture.fund('source')
    const context = fixture.context('solver')
    const { opened, open } = gate()
    fixture.ethereum.before[question] = () => opened
    const action = await fixture.lease('destination', 'initiate')
    expect(await executeInTime(context, action, LIMIT_MS)).toEqual(late)
    await context.leases.finish(action, { ...late, kind: 'failed', againInMs: 0 })
    delete fixture.ethereum.before[question]
    const again = await fixture.lease('destination', 'initiate')
    // A use of the key that hangs ends by its own time limit.
    if (question !== 'sign') expect(await executeAction(context, again)).toMatchObject({ kind: 'sent' })
    const before = await readAttempts(store.db, action.key)
    open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await readAttempts(store.db, action.key)).toEqual(before)
  })

  test('that ends in time keeps its result', async () => {
    await fixture.fund('source')
    const action = await fixture.lease('destination', 'initiate')
    expect(await executeInTime(fixture.context('solver'), action, 60_000)).toMatchObject({ kind: 'sent' })
  })
})
