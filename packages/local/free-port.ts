/** At this moment nobody listens on the port that this finds on the machine. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** The ports lie below those that systems give to outgoing connections, which could otherwise take the port before its listener does. */
const [MIN_PORT, MAX_PORT] = [20_000, 32_000]

export async function freePort(): Promise<number> {
  const port = randomInt(MIN_PORT, MAX_PORT)
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
