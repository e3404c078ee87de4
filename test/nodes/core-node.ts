// A test runs a real node, Bitcoin Core or a descendant of it, on a regtest chain of its own.
import { randomBytes } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Supervised, supervise } from '@tandem/local/embedded/supervise.ts'
import { freePort } from '@tandem/local/free-port.ts'
import { fetchProgram } from './fetch.ts'
import type { NodeName } from './packages.ts'

type Rpc = <T>(method: string, params?: readonly unknown[]) => Promise<T>

export type CoreNode = {
  /** The URL contains user and password, like that of a party's configuration. */
  readonly rpcUrl: string
  rpc: Rpc
  /** The wallet has to be loaded before (`createwallet`). */
  walletRpc(wallet: string): Rpc
  stop(): Promise<void>
}

class CoreRpcError extends Error {
  override readonly name = 'CoreRpcError'
  readonly code: number
  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`)
    this.code = code
  }
}

const POLL_MS = 50
const START_LIMIT_MS = 30_000
const START_ATTEMPTS = 3

/** One node has these lines of configuration beside the common ones. `file` is the name of its configuration file. */
type Settings = { readonly file: string; readonly lines: readonly string[]; readonly withoutMweb?: readonly string[] }

const SETTINGS: Readonly<Record<NodeName, Settings>> = {
  bitcoind: {
    file: 'bitcoin.conf',
    // Knots is stricter than Bitcoin Core about what it relays; the tests are about Core's rules.
    lines: ['corepolicy=1', 'unsafesqlitesync=1'],
  },
  litecoind: {
    file: 'litecoin.conf',
    // One thread runs the scripts, so that a refused block comes with the reason.
    lines: ['par=1'],
    // With MWEB active, `generateblock` cannot choose a block's transactions, so only the tests of MWEB activate it.
    withoutMweb: ['vbparams=mweb:-2:-2'],
  },
}

export const startCoreNode = async (name: NodeName, { mweb = false } = {}): Promise<CoreNode> => {
  const { file, lines, withoutMweb = [] } = SETTINGS[name]
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(name, file, mweb ? lines : [...lines, ...withoutMweb])
    } catch (error) {
      // Another process may take the free port before the node binds it.
      if (attempt === START_ATTEMPTS || !String(error).includes('bind')) throw error
    }
  }
}

const startOnce = async (name: NodeName, file: string, lines: readonly string[]): Promise<CoreNode> => {
  const command = await fetchProgram(name)
  const dataDir = await mkdtemp(join(tmpdir(), `tandem-${name}-`))
  const port = await freePort()
  const password = randomBytes(16).toString('hex')
  // The password is in a file, because every user of the machine can read the arguments.
  await writeFile(join(dataDir, file), configuration(port, password, lines), { mode: 0o600 })
  const logPath = join(dataDir, 'output.log')
  const log = await open(logPath, 'w')
  const node = supervise({
    command: [...command, `-datadir=${dataDir}`],
    user: null,
    // The data is removed, and a graceful stop waits up to 30 s for idle RPC connections.
    stopSignal: 'KILL',
    outputFd: log.fd,
    removeWhenEnded: [dataDir],
  })
  // The supervisor removes the folder as soon as the node ends, so the log is kept open to be read after a failed start.
  const output = await open(logPath, 'r')
  try {
    const running = describeNode(`http://tandem:${password}@127.0.0.1:${port}`, node, dataDir)
    await untilReady(name, running, node, async () => (await output.readFile('utf8')).trim().split('\n').slice(-3).join(' | '))
    return running
  } finally {
    await Promise.all([log.close(), output.close()])
  }
}

const configuration = (port: number, password: string, lines: readonly string[]): string => `
regtest=1
server=1
txindex=1
printtoconsole=1
debuglogfile=0
fallbackfee=0.0002
# Few keys in advance: a wallet is created faster.
keypool=5
${lines.join('\n')}
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

const untilReady = async (name: NodeName, running: CoreNode, node: Supervised, outputTail: () => Promise<string>): Promise<void> => {
  const startedAt = Date.now()
  const ended = node.exited.then((status) => ({ status }))
  for (;;) {
    const failure = await running.rpc('getblockcount').then(
      () => null,
      (error: unknown) => String(error),
    )
    if (failure === null) return
    const outcome = await Promise.race([ended, sleep(POLL_MS, null)])
    if (outcome !== null) throw new Error(`${name} did not start (status ${outcome.status}): ${await outputTail()}`)
    if (Date.now() - startedAt > START_LIMIT_MS) {
      await running.stop()
      throw new Error(`${name} was not ready after ${START_LIMIT_MS} ms: ${failure}`)
    }
  }
}

const describeNode = (rpcUrl: string, node: Supervised, dataDir: string): CoreNode => ({
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
    if (!text.startsWith('{')) throw new CoreRpcError(method, response.status, text || response.statusText)
    const { result, error } = JSON.parse(text) as { result: T; error: { code: number; message: string } | null }
    if (error !== null) throw new CoreRpcError(method, error.code, error.message)
    return result
  }
}
