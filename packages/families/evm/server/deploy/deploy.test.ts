// Tests deployments on a real EVM: the same address for everyone, sent once, and only our code is accepted.

import type { DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import {
  concat,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  numberToHex,
  parseTransaction,
  recoverTransactionAddress,
  size,
  slice,
  type TransactionSerializedLegacy,
} from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { htlcErc20 } from '../../contract/artifacts/htlc-erc20.ts'
import { htlcNative } from '../../contract/artifacts/htlc-native.ts'
import { create2AddressOf, create2Deployer } from '../../terms/deploy/create2-deployer.ts'
import { deployedCode, htlcCode } from '../../terms/deploy/verify-code.ts'
import { createEvmFixture, type TestParty } from '../evm.fixture.ts'
import { connectNode } from '../nodes/connect-node.ts'
import { NodeRefusal } from '../nodes/rpc.ts'
import { deployContract, deployHtlc } from './deploy.ts'

const fixture = opened(createEvmFixture)
let progress: string[] = []
beforeAll(async () => {
  fixture.local.setMining({ kind: 'instant' })
})

function requestFor(symbol: 'ETH' | 'WBTC' | 'USDC', change: Partial<DeployRequest> = {}): DeployRequest {
  const asset = fixture.assets.find((known) => known.symbol === symbol)
  if (asset === undefined) throw new Error(`the fixture has no ${symbol}`)
  progress = []
  return {
    chain: fixture.chain,
    endpoints: { rpc: [fixture.local.rpcUrl] },
    asset,
    token: asset.deployment.token,
    signer: fixture.user.signer,
    dryRun: false,
    bringDeployer: true,
    onProgress: (what) => void progress.push(what),
    ...change,
  }
}

const ask = (method: string, ...params: readonly unknown[]) => fixture.local.request({ method, params: [...params] })
const spentBy = async ({ address }: Pick<TestParty, 'address'>) => [
  await ask('eth_getTransactionCount', address, 'pending'),
  await ask('eth_getBalance', address, 'latest'),
]
const clientOf = (symbol: 'ETH' | 'WBTC', htlc: string) => {
  const { asset, token } = requestFor(symbol)
  return fixture.connect({ assets: [{ ...asset, deployment: { htlc, token } }] })
}

test('the CREATE2 deployer is what its transaction creates, and nobody has the key of its sender', async () => {
  const { transaction, address, sender, cost, gasPrice, code } = create2Deployer
  const signed = parseTransaction(transaction)
  expect((await recoverTransactionAddress({ serializedTransaction: transaction as TransactionSerializedLegacy })).toLowerCase()).toBe(
    sender,
  )
  expect(getContractAddress({ from: sender, nonce: 0n }).toLowerCase()).toBe(address)
  expect(signed).toMatchObject({ type: 'legacy', nonce: 0, gasPrice, r: `0x${'22'.repeat(32)}`, s: `0x${'22'.repeat(32)}` })
  expect(signed.chainId).toBeUndefined()
  expect((signed.gas ?? 0n) * gasPrice).toBe(cost)
  expect(signed.data?.endsWith(code.slice(2))).toBe(true)
})

describe('on a chain without the CREATE2 deployer', () => {
  test('the command fails before it sends anything if the chain refuses the transaction of the deployer', async () => {
    const node = connectNode(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
    const refusing = {
      ...node,
      broadcast: async () => {
        throw new NodeRefusal(-32000, 'only replay-protected (EIP-155) transactions allowed over RPC', null)
      },
    }
    const before = await spentBy(fixture.user)
    const contract = { ...requestFor('ETH'), node: refusing, name: 'it', initCode: htlcNative.bytecode, codeAt: () => '0x00' as const }
    await expect(deployContract(contract)).rejects.toThrow(/only replay-protected.*use a node that accepts such transactions/)
    expect(await spentBy(fixture.user)).toEqual(before)
    node.close()
  })

  test('it is deployed only on request, because it costs the same number of coins on every chain', async () => {
    const before = await spentBy(fixture.user)
    await expect(deployHtlc(requestFor('ETH', { bringDeployer: false }))).rejects.toThrow(
      /--bring-deployer deploys it first, which costs 0\.01 ETH once/,
    )
    expect(await spentBy(fixture.user)).toEqual(before)
  })

  test('the error for an account that cannot pay names the amount and the address', async () => {
    const key = generatePrivateKey()
    await expect(deployHtlc(requestFor('ETH', { signer: createTestSigner(key) }))).rejects.toThrow(
      new RegExp(
        `costs about 0\\.01[0-9]* ETH; ${privateKeyToAddress(key).toLowerCase()} holds 0 ETH on Ethereum Localnet: send it 0\\.01`,
      ),
    )
    expect(await ask('eth_getCode', create2Deployer.address, 'latest')).toBe('0x')
  })

  test('a dry run names the addresses and sends nothing; a real run deploys both once, and a second one by another key sends nothing', async () => {
    const before = await spentBy(fixture.user)
    const planned = await deployHtlc(requestFor('ETH', { dryRun: true }))
    expect(progress.join('\n')).toContain(`would be deployed at ${planned.htlc}, after the CREATE2 deployer`)
    expect(planned).toEqual({ htlc: create2AddressOf(htlcNative.bytecode), tx: null, codeHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect(await spentBy(fixture.user)).toEqual(before)

    const deployed = await deployHtlc(requestFor('ETH'))
    expect(deployed).toEqual({ ...planned, tx: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect(keccak256((await ask('eth_getCode', deployed.htlc, 'latest')) as Hex)).toBe(planned.codeHash)
    expect(progress.at(-1)).toContain('verified')

    const after = await spentBy(fixture.solver)
    expect(await deployHtlc(requestFor('ETH', { signer: fixture.solver.signer }))).toEqual(planned)
    expect(progress[0]).toContain('already')
    expect(await spentBy(fixture.solver)).toEqual(after)
  })
})

test('a deployment survives a lost broadcast and a reorg, and waits for its confirmations', async () => {
  const { local } = fixture
  local.setMining({ kind: 'manual' })
  local.faults.drop(1)
  const request = requestFor('WBTC', { chain: { ...fixture.chain, pollMs: 1, requiredConfirmations: 3 } })
  const token = fixture.contracts.tokens.wbtc
  const real = connectNode(fixture.chain, request)
  let isReorgDue = true
  // Each read of the tip mines a block. The read after the deployment was seen causes a reorg instead, which undoes it.
  const node: typeof real = {
    ...real,
    async block(height) {
      const isReorgNow = isReorgDue && progress.some((what) => what.startsWith('waiting for 3'))
      if (isReorgNow) isReorgDue = false
      await (isReorgNow ? local.faults.reorg(1, { transactions: 'drop' }) : fixture.mine())
      return real.block(height)
    },
  }
  const initCode = encodeDeployData({ abi: htlcErc20.abi, bytecode: htlcErc20.bytecode, args: [token] })
  const codeAt = (address: Hex) => htlcCode({ chainId: 31337, address, token })
  const { htlc, tx } = await deployContract({ ...request, node, name: 'it', initCode, codeAt })
  local.setMining({ kind: 'instant' })
  real.close()
  expect(progress.filter((what) => what.startsWith('a reorg undid it'))).toHaveLength(1)
  const { blockNumber, status } = (await ask('eth_getTransactionReceipt', tx)) as { blockNumber: Hex; status: Hex }
  expect(status).toBe('0x1')
  expect(BigInt((await ask('eth_blockNumber')) as Hex) - BigInt(blockNumber)).toBeGreaterThanOrEqual(2n)
  expect(await deployHtlc(requestFor('WBTC'))).toMatchObject({ htlc, tx: null })
  const client = clientOf('WBTC', htlc)
  await client.verifyNode()
  await client.close()
})

test('a node of another chain fails before anything is sent', async () => {
  const before = await spentBy(fixture.user)
  await expect(deployHtlc(requestFor('ETH', { chain: { ...fixture.chain, reference: 'evm:1' } }))).rejects.toThrow('expected evm:1')
  expect(await spentBy(fixture.user)).toEqual(before)
})

describe('an imitation is refused', () => {
  const at = `0x${'ab'.repeat(20)}` as const
  const place = async (code: Hex) => {
    await ask('hardhat_setCode', at, code)
    const client = clientOf('WBTC', at)
    return client.verifyNode().finally(() => client.close())
  }
  const ours = (change: { chainId?: number; token?: `0x${string}` } = {}) =>
    htlcCode({ chainId: 31337, address: at, token: fixture.contracts.tokens.wbtc, ...change })

  test('even if it differs in a single byte that no call reaches', async () => {
    await place(ours())
    const lastByteOther = concat([slice(ours(), 0, size(ours()) - 1), ours().endsWith('00') ? '0x01' : '0x00'])
    for (const code of [concat([ours(), '0x00']), lastByteOther]) {
      await expect(place(code)).rejects.toThrow(
        `the code at ${at} is not that of our HTLC: its hash is ${keccak256(code)}, expected ${keccak256(ours())}`,
      )
    }
  })

  test('if its constructor got other arguments', async () => {
    const others = [{ chainId: 1 }, { token: fixture.contracts.tokens.usdc }]
    for (const other of others) await expect(place(ours(other))).rejects.toThrow('is not that of our HTLC')
    // This is our HTLC at another address: its signatures would be bound to the old one.
    const elsewhere = (await ask('eth_getCode', fixture.contracts.htlcs.wbtc, 'latest')) as Hex
    await expect(place(elsewhere)).rejects.toThrow('is not that of our HTLC')
  })

  test('also at the address of our own deployment', async () => {
    const token = await fixture.deploy(htlcNative)
    const initCode = encodeDeployData({ abi: htlcNative.abi, bytecode: `${htlcNative.bytecode}${token.slice(2)}` })
    await ask('hardhat_setCode', create2AddressOf(initCode), ours())
    const node = connectNode(fixture.chain, { endpoints: { rpc: [fixture.local.rpcUrl] } })
    const codeAt = (address: Hex) => htlcCode({ chainId: 31337, address, token: null })
    const before = await spentBy(fixture.user)
    await expect(deployContract({ ...requestFor('ETH'), node, name: 'it', initCode, codeAt })).rejects.toThrow('is not that of our HTLC')
    expect(await spentBy(fixture.user)).toEqual(before)
    node.close()
  })
})

test('an immutable variable without a known value is an error', () => {
  const artifact = { contractName: 'X', deployedBytecode: '0x0000', immutableReferences: { _a: [{ start: 1, length: 1 }] } } as const
  expect(deployedCode(artifact, { _a: numberToHex(7) })).toBe('0x0007')
  expect(() => deployedCode(artifact, { _b: '0x07' })).toThrow('the immutable variable _a of X has no known value')
})
