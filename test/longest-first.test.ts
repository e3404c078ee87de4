import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LONGEST } from './longest-first.ts'

test('every file of the list exists: a file that moved would lose its place', () => {
  expect(LONGEST.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual([])
})
