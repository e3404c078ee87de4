/**
 * Gives ports to servers that are told their port before they listen. A process has a block of ports to itself while it runs, so no other one is given a port
 * before its server listens, or while that restarts.
 */
import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/** The ports lie below those that systems give to outgoing connections, which could otherwise take the port before its listener does. */
const [MIN_PORT, MAX_PORT] = [20_000, 32_000]
/** Whoever listens on the first port of a block has the others. */
const BLOCK_SIZE = 200
const MAX_TRIES = 200

let block: Promise<number> | null = null
let newest = 0

/** At this moment nobody listens on the port. The same port is given again after all others of the block. */
export async function freePort(): Promise<number> {
  block ??= claimBlock()
  const first = await block
  for (let tried = 1; tried < BLOCK_SIZE; tried += 1) {
    newest = (newest % (BLOCK_SIZE - 1)) + 1
    const port = first + newest
    if (await isFree(port)) return port
  }
  throw new Error(`all ports from ${first} to ${first + BLOCK_SIZE - 1} are in use`)
}

async function claimBlock(): Promise<number> {
  for (let tried = 0; tried < MAX_TRIES; tried += 1) {
    const first = MIN_PORT + BLOCK_SIZE * randomInt((MAX_PORT - MIN_PORT) / BLOCK_SIZE)
    const claim = await listenOn(first)
    // The claim must not keep the process running.
    claim?.unref()
    if (claim !== null) return first
  }
  throw new Error(`no block of ports between ${MIN_PORT} and ${MAX_PORT} is free: other processes have them all`)
}

async function isFree(port: number): Promise<boolean> {
  const probe = await listenOn(port)
  await new Promise<unknown>((resolve) => (probe === null ? resolve(null) : probe.close(resolve)))
  return probe !== null
}

/** Null means that another one listens there. */
function listenOn(port: number): Promise<Server | null> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}
