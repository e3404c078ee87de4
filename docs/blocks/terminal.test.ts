import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { openTerminal } from './terminal.ts'

const env = { PATH: process.env.PATH }

test('variables stay, and a command that fails says what it printed', async () => {
  const terminal = openTerminal(tmpdir(), env)
  await terminal.run('name=reader')
  expect((await terminal.run('echo "hello $name"')).trim()).toBe('hello reader')
  await expect(terminal.run('echo before; echo why >&2; (exit 3)')).rejects.toThrow(/ended with 3:\s+before\s+why/)
  await terminal.close()
})

test('a command that hangs is ended with all that it runs, and says what it printed', async () => {
  const terminal = openTerminal(tmpdir(), env, 1_000)
  await expect(terminal.run('echo waiting; sleep 3600 | cat; echo never')).rejects.toThrow(/hung, or ended the shell:\s+waiting/)
  await terminal.close()
})
