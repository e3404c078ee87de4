// Runs a real bitcoind on a regtest chain of its own for a test.
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Supervised, supervise } from '../../src/store/embedded/supervise.ts'
import { fetchNode } from './fetch.ts'

type Rpc = <T>(method: string, params?: readonly unknown[]) => Promise<T>

export type Bitcoind = {
  /** With user and password, as our own configuration takes it. */
  readonly rpcUrl: string
  rpc: Rpc
  /** The same for one wallet, which has to be loaded (`createwallet`). */
  walletRpc(wallet: string): Rpc
  stop(): Promise<void>
}

class BitcoindRpcError extends Error {
  override readonly name = 'BitcoindRpcError'
  readonly code: number
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`)
    this.code = code
  }
}

const POLL_MS = 50
const START_LIMIT_MS = 30_000
const START_ATTEMPTS = 3

export const startBitcoind = async (): Promise<Bitcoind> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce()
    } catch (error) {
      // A free port may be taken by somebody else before the node binds it.
      if (attempt === START_ATTEMPTS || !String(error).includes('bind')) throw error
    }
  }
}

const startOnce = async (): Promise<Bitcoind> => {
  const command = await fetchNode('bitcoind')
  const dataDir = await mkdtemp(join(tmpdir(), 'tandem-bitcoind-'))
  const port = await freePort()
  const password = randomBytes(16).toString('hex')
  // In a file and not among the arguments, which every user of the machine can read.
  await writeFile(join(dataDir, 'bitcoin.conf'), configuration(port, password), { mode: 0o600 })
  const logPath = join(dataDir, 'output.log')
  const log = await open(logPath, 'w')
  const node = supervise({
    command: [...command, `-datadir=${dataDir}`],
    user: null,
    stopSignal: 'TERM',
    outputFd: log.fd,
    removeWhenEnded: [dataDir],
  })
  // The supervisor removes the folder as soon as the node ends, so the log is kept open to be read after a failed start.
  const output = await open(logPath, 'r')
  try {
    const bitcoind = describeNode(`http://tandem:${password}@127.0.0.1:${port}`, node, dataDir)
    await untilReady(bitcoind, node, async () => (await output.readFile('utf8')).trim().split('\n').slice(-3).join(' | '))
    return bitcoind
  } finally {
    await Promise.all([log.close(), output.close()])
  }
}

const configuration = (port: number, password: string): string => `
regtest=1
server=1
txindex=1
printtoconsole=1
debuglogfile=0
# Knots is stricter than Bitcoin Core about what it relays; the tests are about Core's rules.
corepolicy=1
fallbackfee=0.0002
unsafesqlitesync=1
[regtest]
listen=0
dnsseed=0
connect=0
rpcbind=127.0.0.1
rpcallowip=127.0.0.1
rpcport=${port}
rpcuser=tandem
rpcpassword=${password}
`

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

const untilReady = async (bitcoind: Bitcoind, node: Supervised, outputTail: () => Promise<string>): Promise<void> => {
  const startedAt = Date.now()
  const ended = node.exited.then((status) => ({ status }))
  for (;;) {
    const failure = await bitcoind.rpc('getblockcount').then(
      () => null,
      (error: unknown) => String(error),
    )
    if (failure === null) return
    const outcome = await Promise.race([ended, sleep(POLL_MS, null)])
    if (outcome !== null) throw new Error(`bitcoind did not start (status ${outcome.status}): ${await outputTail()}`)
    if (Date.now() - startedAt > START_LIMIT_MS) {
      await bitcoind.stop()
      throw new Error(`bitcoind was not ready after ${START_LIMIT_MS} ms: ${failure}`)
    }
  }
}

const describeNode = (rpcUrl: string, node: Supervised, dataDir: string): Bitcoind => ({
  rpcUrl,
  rpc: createRpc(rpcUrl),
  walletRpc: (wallet) => createRpc(`${rpcUrl}/wallet/${encodeURIComponent(wallet)}`),
  stop: async () => {
    await node.stop()
    await rm(dataDir, { recursive: true, force: true })
  },
})

const createRpc = (urlWithUser: string): Rpc => {
  const url = new URL(urlWithUser)
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`
  url.username = ''
  url.password = ''
  return async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '1.0', id: method, method, params }),
    })
    const text = await response.text()
    if (!text.startsWith('{')) throw new BitcoindRpcError(method, response.status, text || response.statusText)
    const { result, error } = JSON.parse(text) as { result: T; error: { code: number; message: string } | null }
    if (error !== null) throw new BitcoindRpcError(method, error.code, error.message)
    return result
  }
}
