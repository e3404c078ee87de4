// Tests that clients see a reorg as a real chain shows it: other hashes, linked blocks, and no trace of the replaced blocks.
import { setTimeout as sleep } from 'node:timers/promises'
import { openedForEach } from '@tandem/runtime/opened.fixture.ts'
import { createPublicClient, createWalletClient, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, it } from 'vitest'
import { testToken } from '../contract/artifacts/test-token.ts'
import { startEvmChain } from './evm-chain.ts'
import { deployLocalContracts } from './local-contracts.ts'

const key = generatePrivateKey()
const account = privateKeyToAccount(key)
const recipient = privateKeyToAccount(generatePrivateKey()).address
const transferEvent = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])[0]

const chain = openedForEach(() => startEvmChain({ chainId: 31337, keys: [key], mining: { kind: 'manual' } }))
let token: Hex
beforeEach(async () => {
  token = (await deployLocalContracts(chain, key)).tokens.wbtc
  for (let block = 0; block < 5; block += 1) await mine()
})

const reader = () => createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 20, cacheTime: 0 })
const mine = () => chain.request({ method: 'evm_mine' })
const mint = (amount: bigint, nonce?: number) =>
  createWalletClient({ account, transport: http(chain.rpcUrl) }).writeContract({
    chain: null,
    address: token,
    abi: testToken.abi,
    functionName: 'mint',
    args: [recipient, amount],
    gas: 100_000n,
    ...(nonce === undefined ? {} : { nonce }),
  })
const minted = () => reader().readContract({ address: token, abi: testToken.abi, functionName: 'balanceOf', args: [recipient] })
const mints = () => reader().getLogs({ address: token, event: transferEvent, args: { to: recipient }, fromBlock: 0n })
const nonce = () => reader().getTransactionCount({ address: account.address })

async function hashesUpToHead(): Promise<Hex[]> {
  const head = await reader().getBlockNumber()
  const blocks = await Promise.all(
    Array.from({ length: Number(head) + 1 }, (_, number) => reader().getBlock({ blockNumber: BigInt(number) })),
  )
  for (const [index, block] of blocks.entries()) if (index > 0) expect(block.parentHash).toBe(blocks[index - 1]?.hash)
  return blocks.map((block) => block.hash)
}

describe('reorg', () => {
  it('replaces the last blocks by others that link to the rest', async () => {
    const before = await hashesUpToHead()
    const report = await chain.faults.reorg(3)
    const after = await hashesUpToHead()
    expect(after).toHaveLength(before.length)
    expect(after.slice(0, -3)).toEqual(before.slice(0, -3))
    expect(after.slice(-3).filter((hash) => before.includes(hash))).toEqual([])
    expect(report).toMatchObject({ forkBlock: before.length - 4, replaced: before.slice(-3) })
    for (const hash of report.replaced) await expect(reader().getBlock({ blockHash: hash })).rejects.toThrow()
  })

  it('takes back logs, receipts, balances and nonces, and returns the transactions to the pool', async () => {
    const nonceBefore = await nonce()
    const first = await mint(7n)
    await mine()
    const second = await mint(5n)
    await mine()
    expect(await minted()).toBe(12n)

    const report = await chain.faults.reorg(2)
    expect(report.transactions).toEqual([
      { hash: first, fate: 'returned' },
      { hash: second, fate: 'returned' },
    ])
    expect(await minted()).toBe(0n)
    expect(await mints()).toEqual([])
    expect(await nonce()).toBe(nonceBefore)
    await expect(reader().getTransactionReceipt({ hash: first })).rejects.toThrow()
    expect((await reader().getTransaction({ hash: first })).blockNumber).toBeNull()

    await mine()
    expect(await minted()).toBe(12n)
    expect(await nonce()).toBe(nonceBefore + 2)
    const logs = await mints()
    const head = await reader().getBlock()
    expect(logs.map((log) => [log.transactionHash, log.blockHash])).toEqual([
      [first, head.hash],
      [second, head.hash],
    ])
    expect((await reader().getTransactionReceipt({ hash: first })).blockHash).toBe(head.hash)
  })

  it('drops the transactions when asked, so that their nonce is free again', async () => {
    const nonceBefore = await nonce()
    const lost = await mint(7n)
    await mine()
    const report = await chain.faults.reorg(1, { transactions: 'drop' })
    expect(report.transactions).toEqual([{ hash: lost, fate: 'dropped' }])
    await mine()
    expect(await minted()).toBe(0n)
    await expect(reader().getTransaction({ hash: lost })).rejects.toThrow()
    await mint(9n, nonceBefore)
    await mine()
    expect(await minted()).toBe(9n)
  })

  it('keeps transactions that were only pending', async () => {
    const pending = await mint(7n)
    await chain.faults.reorg(2, { transactions: 'drop' })
    expect((await reader().getTransaction({ hash: pending })).blockNumber).toBeNull()
    await mine()
    expect(await minted()).toBe(7n)
  })

  it('drops transactions that were pending at the fork and mined in a replaced block', async () => {
    const nonceBefore = await nonce()
    const early = await mint(7n, nonceBefore + 1)
    await mine()
    const late = await mint(5n, nonceBefore)
    await mine()
    expect(await minted()).toBe(12n)
    const report = await chain.faults.reorg(1, { transactions: 'drop' })
    expect(report.transactions.map(({ hash }) => hash).sort()).toEqual([early, late].sort())
    for (const hash of [early, late]) await expect(reader().getTransaction({ hash })).rejects.toThrow()
    await mine()
    expect(await minted()).toBe(0n)
  })

  it('mines returned transactions again automatically with instant mining', async () => {
    chain.setMining({ kind: 'instant' })
    const hash = await mint(7n)
    const { blockHash } = await reader().waitForTransactionReceipt({ hash })
    const head = await reader().getBlockNumber()
    const mintedAt = (await reader().getTransactionReceipt({ hash })).blockNumber
    await chain.faults.reorg(Number(head - mintedAt) + 2)
    // Calls are answered in order, so the block that was wanted at the end of the reorg is there by now.
    const again = await reader().getTransactionReceipt({ hash })
    expect(again.blockHash).not.toBe(blockHash)
    expect(await minted()).toBe(7n)
  })

  it('grows a longer branch, and can be repeated on top of itself', async () => {
    const before = await reader().getBlockNumber()
    await chain.faults.reorg(2, { blocks: 4 })
    expect(await reader().getBlockNumber()).toBe(before + 2n)
    const once = await hashesUpToHead()
    await chain.faults.reorg(3)
    const twice = await hashesUpToHead()
    expect(twice.slice(0, -3)).toEqual(once.slice(0, -3))
    expect(twice.at(-3)).not.toBe(once.at(-3))
  })

  it('does not move the clock', async () => {
    const secondsAhead = async () => Number(await chain.request({ method: 'evm_increaseTime', params: ['0x0'] }))
    await mine()
    // After this time, a clock that is set back or forth by the age of the replaced blocks would show.
    await sleep(2_100)
    await chain.faults.reorg(1)
    expect(await secondsAhead()).toBe(0)

    await chain.request({ method: 'evm_increaseTime', params: ['0x1c20'] })
    await mine()
    const before = (await reader().getBlock()).timestamp
    await chain.faults.reorg(3)
    expect(await secondsAhead()).toBe(7_200)
    expect((await reader().getBlock()).timestamp).toBeGreaterThanOrEqual(before)
  })

  it('refuses impossible depths and lengths', async () => {
    await expect(chain.faults.reorg(0)).rejects.toThrow(RangeError)
    await expect(chain.faults.reorg(1_000)).rejects.toThrow(RangeError)
    await expect(chain.faults.reorg(1, { blocks: 0 })).rejects.toThrow(RangeError)
  })

  it('still works after a client reverted to its own snapshot', async () => {
    const snapshot = await chain.request({ method: 'evm_snapshot' })
    await mine()
    await mine()
    await chain.request({ method: 'evm_revert', params: [snapshot] })
    const before = await hashesUpToHead()
    await chain.faults.reorg(2)
    expect((await hashesUpToHead()).slice(0, -2)).toEqual(before.slice(0, -2))
  })
})
