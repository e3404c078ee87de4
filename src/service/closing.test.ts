import { expect, test } from 'vitest'
import { createClosing } from './closing.ts'

test('parts close in the reverse order, once, and all of them even if one fails', async () => {
  const closed: string[] = []
  const { keep, close } = createClosing()
  for (const name of ['database', 'loop', 'engine']) {
    keep(async () => {
      closed.push(name)
      if (name !== 'database') throw new Error(`the ${name} cannot release its leases`)
    })
  }
  await expect(close()).rejects.toThrow('the engine cannot')
  expect(closed).toEqual(['engine', 'loop', 'database'])
  await close()
  expect(closed).toHaveLength(3)
})
