import { afterEach, expect, test, vi } from 'vitest'
import { databaseServer } from './database-server.ts'

afterEach(() => void vi.unstubAllEnvs())

test('DATABASE_URL names the server', () => {
  vi.stubEnv('DATABASE_URL', 'postgres://db.example/x')
  expect(databaseServer()).toEqual({ databaseServerUrl: 'postgres://db.example/x' })
})

test.each([undefined, ''])('without it (%j) the embedded server is used', (url) => {
  vi.stubEnv('DATABASE_URL', url)
  expect(databaseServer()).toEqual({})
})
