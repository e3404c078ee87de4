// Tests the local chain as its clients see it: RPC over HTTP and WebSocket, mining, time, and faults.
import { connect, createServer } from 'node:net'
import { createPublicClient, createWalletClient, type Hex, http, numberToHex, parseEther, webSocket } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type EvmChain, type EvmChainOptions, startEvmChain } from './evm-chain.ts'

const key = generatePrivateKey()
const account = privateKeyToAccount(key)
const recipient = privateKeyToAccount(generatePrivateKey()).address
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const chain of open.splice(0)) await chain.close()
})

async function start(options: Partial<EvmChainOptions> = {}) {
  const chain = await startEvmChain({ chainId: 31337, keys: [key], mining: { kind: 'manual' }, ...options })
  open.push(chain)
  const transport = http(chain.rpcUrl, { retryCount: 0 })
  const reader = createPublicClient({ transport, pollingInterval: 20 })
  const wallet = createWalletClient({ account, transport })
  const send = (value = 1n) => wallet.sendTransaction({ chain: null, to: recipient, value, gas: 21_000n })
  const mine = () => chain.request({ method: 'evm_mine' })
  return { chain, reader, send, mine }
}

async function post(chain: EvmChain, body: string) {
  const response = await fetch(chain.rpcUrl, { method: 'POST', body })
  return response.json()
}

describe('JSON-RPC', () => {
  it('answers single calls and batches over HTTP', async () => {
    const { chain } = await start({ chainId: 31338 })
    const call = (id: number, method: string) => ({ jsonrpc: '2.0', id, method, params: [] })
    expect(await post(chain, JSON.stringify(call(7, 'eth_chainId')))).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7a6a' })
    expect(await post(chain, JSON.stringify([call(1, 'eth_chainId'), call(2, 'eth_blockNumber')]))).toEqual([
      { jsonrpc: '2.0', id: 1, result: '0x7a6a' },
      { jsonrpc: '2.0', id: 2, result: '0x0' },
    ])
  })

  it('answers invalid requests with errors and continues to serve', async () => {
    const { chain, reader } = await start()
    expect(await post(chain, '{')).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await post(chain, '{"id":1}')).toMatchObject({ error: { code: -32600 } })
    expect(await post(chain, '{"id":1,"method":"eth_call","params":{}}')).toMatchObject({ error: { code: -32600 } })
    expect(await post(chain, '{"id":1,"method":"no_such_method","params":[]}')).toMatchObject({
      id: 1,
      error: { code: expect.any(Number) },
    })
    expect(await post(chain, '{"id":1,"method":"eth_subscribe","params":["newHeads"]}')).toMatchObject({ error: { code: -32601 } })
    expect((await fetch(chain.rpcUrl)).status).toBe(405)
    expect(await reader.getBlockNumber()).toBe(0n)
  })

  it('pushes new heads over the WebSocket on the same port', async () => {
    const { chain, mine } = await start()
    const client = createPublicClient({ transport: webSocket(chain.webSocketUrl) })
    const heads: bigint[] = []
    const { unsubscribe } = await client.transport.subscribe({
      params: ['newHeads'],
      onData: ({ result }) => heads.push(BigInt(result.number)),
    })
    await mine()
    await mine()
    await vi.waitFor(() => expect(heads).toEqual([1n, 2n]), { timeout: 60_000 })
    await unsubscribe()
    await mine()
    expect(await client.getBlockNumber()).toBe(3n)
    expect(heads).toEqual([1n, 2n])
    await client.transport.getRpcClient().then((rpc) => rpc.close())
  })

  it('pushes each log of a block in a message of its own', async () => {
    const { chain } = await start()
    const client = createPublicClient({ transport: webSocket(chain.webSocketUrl) })
    const emitter = '0x00000000000000000000000000000000000000e0'
    // The code emits an empty log: LOG0 over no memory.
    await chain.request({ method: 'hardhat_setCode', params: [emitter, '0x5f5fa000'] })
    const logs: unknown[] = []
    await client.transport.subscribe({ params: ['logs', { address: emitter }], onData: ({ result }) => logs.push(result) })
    const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) })
    for (const nonce of [0, 1]) await wallet.sendTransaction({ chain: null, to: emitter, nonce, gas: 100_000n })
    await chain.request({ method: 'evm_mine' })
    await vi.waitFor(() => expect(logs).toMatchObject([{ address: emitter }, { address: emitter }]), { timeout: 60_000 })
    await client.transport.getRpcClient().then((rpc) => rpc.close())
  })

  it('listens on the given port and refuses one that is taken', async () => {
    const blocker = createServer()
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => {
        const address = blocker.address()
        resolve(typeof address === 'object' && address !== null ? address.port : 0)
      })
    })
    await expect(startEvmChain({ chainId: 1, port })).rejects.toThrow('EADDRINUSE')
    await new Promise((resolve) => blocker.close(resolve))
    const { chain } = await start({ port })
    expect(chain.rpcUrl).toBe(`http://127.0.0.1:${port}`)
  })

  it('is gone after close', async () => {
    const { chain, reader } = await start({ mining: { kind: 'instant' } })
    await chain.close()
    await expect(reader.getBlockNumber()).rejects.toThrow()
    await expect(chain.request({ method: 'eth_blockNumber' })).rejects.toThrow('stopped')
  })
})

describe('mining', () => {
  it('mines on demand by default and keeps a clock', async () => {
    const chain = await startEvmChain({ chainId: 31337, keys: [key] })
    open.push(chain)
    const reader = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20 })
    const wallet = createWalletClient({ account, transport: http(chain.rpcUrl) })
    const hash = await wallet.sendTransaction({ chain: null, to: recipient, value: 5n })
    // Calls are answered in order, so the block that the transaction asked for precedes this answer.
    const receipt = await reader.getTransactionReceipt({ hash })
    expect(receipt.status).toBe('success')
    expect(await reader.getBalance({ address: recipient })).toBe(5n)
    await vi.waitFor(async () => expect(await reader.getBlockNumber()).toBeGreaterThan(receipt.blockNumber), { timeout: 60_000 })
    const { timestamp } = await reader.getBlock()
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(30)
  })

  it('puts transactions of one batch into one block', async () => {
    const { chain, reader } = await start({ mining: { kind: 'instant' } })
    const raw = (nonce: number) =>
      account.signTransaction({ type: 'eip1559', chainId: 31337, nonce, gas: 21_000n, maxFeePerGas: 10n ** 10n, to: recipient, value: 1n })
    const batch = await Promise.all(
      [0, 1, 2].map(async (nonce) => ({ id: nonce, method: 'eth_sendRawTransaction', params: [await raw(nonce)] })),
    )
    const answers = (await post(chain, JSON.stringify(batch))) as { result: Hex }[]
    const receipts = await Promise.all(answers.map(({ result }) => reader.waitForTransactionReceipt({ hash: result })))
    expect(new Set(receipts.map((receipt) => receipt.blockHash)).size).toBe(1)
  })

  it('mines only on evm_mine in manual mode', async () => {
    const { chain, reader, send, mine } = await start()
    const hash = await send()
    expect(await reader.getBlockNumber()).toBe(0n)
    await expect(reader.getTransactionReceipt({ hash })).rejects.toThrow()
    await mine()
    expect((await reader.getTransactionReceipt({ hash })).blockNumber).toBe(1n)
    await chain.request({ method: 'evm_setAutomine', params: [true] })
    const second = await send()
    expect((await reader.waitForTransactionReceipt({ hash: second })).status).toBe('success')
    await chain.request({ method: 'evm_setIntervalMining', params: [0] })
    const third = await send()
    await expect(reader.getTransactionReceipt({ hash: third })).rejects.toThrow()
  })

  it('mines at an interval', async () => {
    const { chain, reader, send } = await start({ mining: { kind: 'interval', seconds: 0.05 } })
    const hash = await send()
    await reader.waitForTransactionReceipt({ hash })
    const before = await reader.getBlockNumber()
    await vi.waitFor(async () => expect(await reader.getBlockNumber()).toBeGreaterThan(before + 2n), { timeout: 60_000 })
    chain.setMining({ kind: 'manual' })
    const stopped = await reader.getBlockNumber({ cacheTime: 0 })
    await send()
    expect(await reader.getBlockNumber({ cacheTime: 0 })).toBe(stopped)
  })

  it('moves time by evm_increaseTime, and never below the wall clock', async () => {
    const { chain, reader, mine } = await start()
    await mine()
    const before = (await reader.getBlock()).timestamp
    await chain.request({ method: 'evm_increaseTime', params: [numberToHex(7_200)] })
    await mine()
    const after = (await reader.getBlock()).timestamp
    expect(after - before).toBeGreaterThanOrEqual(7_200n)
    await chain.request({ method: 'evm_setNextBlockTimestamp', params: [numberToHex(after + 100n)] })
    await mine()
    expect((await reader.getBlock()).timestamp).toBe(after + 100n)
    for (let block = 0; block < 5; block += 1) await mine()
    expect((await reader.getBlock()).timestamp - after).toBeLessThan(130n)
  })

  it('calls a block final only when no reorg can reach it', async () => {
    const { chain, reader } = await start()
    expect((await reader.getBlock({ blockTag: 'finalized' })).number).toBe(0n)
    for (let block = 0; block < 70; block += 1) await chain.request({ method: 'evm_mine' })
    expect((await reader.getBlock({ blockTag: 'safe' })).number).toBe(38n)
    expect((await reader.getBlock({ blockTag: 'finalized' })).number).toBe(6n)
    expect(await reader.getLogs({ fromBlock: 'finalized', toBlock: 'safe' })).toEqual([])
    await expect(chain.faults.reorg(65)).rejects.toThrow('final')
    expect((await chain.faults.reorg(64)).forkBlock).toBe(6)
  })
})

describe('faults', () => {
  it('drops transactions after answering with their hash', async () => {
    const { chain, reader, send, mine } = await start()
    chain.faults.drop(1)
    const lost = await send(1n)
    await mine()
    await expect(reader.getTransaction({ hash: lost })).rejects.toThrow()
    const kept = await send(2n)
    expect(kept).not.toBe(lost)
    await mine()
    expect((await reader.getTransactionReceipt({ hash: kept })).status).toBe('success')
  })

  it('goes offline for clients, connected or new, and comes back', async () => {
    const { chain, reader, mine } = await start()
    const socket = new WebSocket(chain.webSocketUrl)
    await new Promise((resolve) => socket.once('open', resolve))
    const socketClosed = new Promise((resolve) => socket.once('close', resolve))
    chain.faults.offline(true)
    await socketClosed
    await expect(reader.getBlockNumber({ cacheTime: 0 })).rejects.toThrow()
    await mine()
    chain.faults.offline(false)
    expect(await reader.getBlockNumber({ cacheTime: 0 })).toBe(1n)
  })

  it('continues to serve when a client disconnects during a request', async () => {
    const { chain, reader } = await start()
    const socket = connect(Number(new URL(chain.rpcUrl).port), '127.0.0.1')
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => socket.destroy())
    await new Promise<void>((resolve) => {
      socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"id":', () => resolve())
    })
    await reader.getBlockNumber({ cacheTime: 0 })
    chain.faults.offline(true)
    await closed
    chain.faults.offline(false)
    expect(await reader.getBlockNumber({ cacheTime: 0 })).toBe(0n)
  })

  it('delays answers over the network only', async () => {
    const { chain, reader } = await start()
    chain.faults.delay(150)
    const startedAt = performance.now()
    await reader.getBlockNumber({ cacheTime: 0 })
    expect(performance.now() - startedAt).toBeGreaterThan(140)
    // The test does not take as long: it ends only because the direct call does not wait.
    chain.faults.delay(3_600_000)
    expect(await chain.request({ method: 'eth_blockNumber' })).toBe('0x0')
    chain.faults.delay(0)
    expect(await reader.getBlockNumber({ cacheTime: 0 })).toBe(0n)
  })

  it('starts accounts with native coin', async () => {
    const { reader } = await start()
    expect(await reader.getBalance({ address: account.address })).toBeGreaterThan(parseEther('1000000'))
  })
})
