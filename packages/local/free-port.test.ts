/** Tests that no two servers are told the same port, however long they take to listen. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { freePort } from './free-port.ts'

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill()
})

test('the ports of a process differ, although nobody listens on them yet', async () => {
  const ports = await Promise.all(Array.from({ length: 190 }, freePort))
  expect(new Set(ports).size).toBe(190)
})

test('processes that run at the same time have no port in common', async () => {
  const program = `import { freePort } from '${import.meta.dirname}/free-port.ts'
    const ports = await Promise.all(Array.from({ length: 190 }, freePort))
    process.send(ports)
    process.on('disconnect', () => process.exit())`
  const portsOf = async (): Promise<readonly number[]> => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', program]
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    children.push(child)
    const [ports] = await once(child, 'message')
    return ports
  }
  const all = (await Promise.all([portsOf(), portsOf(), portsOf()])).flat()
  expect(all).toHaveLength(570)
  expect(new Set([...all, await freePort()]).size).toBe(571)
})

test('a port on which somebody listens is not given', async () => {
  const [taken, server] = [await freePort(), createServer()]
  server.listen(taken, '127.0.0.1')
  await once(server, 'listening')
  const ports = await Promise.all(Array.from({ length: 250 }, freePort))
  expect(ports).not.toContain(taken)
  server.close()
})
