/** Tests that the simulator keeps the rules of HyperCore that our contracts and clients rely on. */

import { createEvmSender } from '@tandem/evm/local/evm-sender.ts'
import { opened } from '@tandem/runtime/opened.fixture.ts'
import { type Address, encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { CORE_USER_EXISTS, CORE_WRITER, SPOT_BALANCE, spotBalanceInput, spotSendData, systemAddressOf } from '../terms/core.ts'
import { coreTokens } from './core-state-machine.ts'
import { startHypercoreChain } from './hypercore-chain.ts'
import { createHypercoreFaucet } from './hypercore-faucet.ts'
import { HYPE_BRIDGE } from './hyperliquid.ts'
import { deployLocalHypercoreContracts } from './local-hypercore-contracts.ts'

const SCALE = 10n ** 13n
const { usdc, purr, hype } = coreTokens
const bridge = systemAddressOf(purr)
const [richKey, poorKey] = [generatePrivateKey(), generatePrivateKey()]
const [rich, poor] = [richKey, poorKey].map((key) => privateKeyToAccount(key).address.toLowerCase() as Address) as [Address, Address]
const chain = opened(() => startHypercoreChain({ chainId: 31998, keys: [richKey], mining: { kind: 'manual' } }))
let token: Address
let snapshot: unknown

beforeAll(async () => {
  token = (await deployLocalHypercoreContracts(chain, richKey)).token
  await createEvmSender(chain, richKey).send([{ to: poor, value: 10n ** 20n }])
})
beforeEach(async () => {
  snapshot = await chain.request({ method: 'evm_snapshot' })
})
afterEach(async () => {
  await chain.request({ method: 'evm_revert', params: [snapshot] })
})

const call = async (to: Address, data: Hex) => (await chain.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })) as Hex
const spot = async (user: Address, of: bigint = purr) => BigInt((await call(SPOT_BALANCE, spotBalanceInput(user, of))).slice(0, 66))
const evm = async (user: Address) =>
  BigInt(await call(token, encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [user] })))
const exists = async (user: Address) => BigInt(await call(CORE_USER_EXISTS, `0x${user.slice(2).padStart(64, '0')}`)) === 1n
const mine = () => chain.request({ method: 'evm_mine' })
const act = (key: Hex, ...sends: readonly { to: Address; token: bigint; amount: bigint }[]) =>
  createEvmSender(chain, key).send(sends.map((send) => ({ to: CORE_WRITER, data: spotSendData(send) })))
const cross = (key: Hex, value: bigint) =>
  createEvmSender(chain, key).send([
    { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [bridge, value] }) },
  ])

test('a transfer to HyperEVM is credited to its sender in the next block; a transfer back is credited at once', async () => {
  const before = await spot(rich)
  await act(richKey, { to: bridge, token: purr, amount: 500n })
  expect([await spot(rich), await evm(rich)]).toEqual([before - 500n, 0n])
  await mine()
  expect([await spot(rich), await evm(rich)]).toEqual([before - 500n, 500n * SCALE])
  // Amounts below the smallest unit of HyperCore are lost.
  await cross(richKey, 200n * SCALE + 7n)
  expect([await spot(rich), await evm(rich)]).toEqual([before - 300n, 300n * SCALE - 7n])
})

test('an account that was never activated cannot act; the first payment to it costs one quote token', async () => {
  const fee = 10n ** 8n
  const dollars = await spot(rich, usdc)
  expect(await exists(poor)).toBe(false)
  await act(richKey, { to: poor, token: purr, amount: 1_000n }, { to: poor, token: purr, amount: 500n })
  expect([await exists(poor), await spot(poor), await spot(rich, usdc)]).toEqual([true, 1_500n, dollars - fee])
  // Without the activation fee, or without HYPE for the crossing fee, the action is dropped.
  const stranger: Address = '0x00000000000000000000000000000000000000aa'
  await act(poorKey, { to: stranger, token: purr, amount: 1n }, { to: bridge, token: purr, amount: 1n })
  await mine()
  expect([await exists(stranger), await spot(poor), await evm(poor)]).toEqual([false, 1_500n, 0n])
  await createHypercoreFaucet(chain, richKey).fundGas(poor)
  await act(poorKey, { to: rich, token: purr, amount: 500n }, { to: bridge, token: purr, amount: 1_000n })
  await mine()
  expect([await spot(poor), await evm(poor)]).toEqual([0n, 1_000n * SCALE])
  expect(await spot(poor, hype)).toBeLessThan(10n * 10n ** 8n)
})

test('HYPE that is sent to its bridge is credited before the actions of the same block; a transfer to HyperEVM costs 200,000 gas of it', async () => {
  await act(richKey, { to: poor, token: purr, amount: 1_000n })
  const sender = createEvmSender(chain, poorKey)
  // A tenth of a unit of HyperCore is lost.
  await sender.send([
    { to: HYPE_BRIDGE, value: 10n ** 16n + 10n ** 9n },
    { to: CORE_WRITER, data: spotSendData({ to: bridge, token: purr, amount: 1_000n }) },
  ])
  const { baseFeePerGas } = (await chain.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })) as { baseFeePerGas: Hex }
  const fee = (200_000n * BigInt(baseFeePerGas) + 10n ** 10n - 1n) / 10n ** 10n
  await mine()
  expect([await evm(poor), await spot(poor, hype)]).toEqual([1_000n * SCALE, 10n ** 6n - fee])
})

test('the balance on hold for open orders cannot be sent', async () => {
  const before = await spot(rich)
  await chain.hold(rich, purr, before - 10n)
  await act(richKey, { to: bridge, token: purr, amount: 11n })
  await mine()
  expect([await spot(rich), await evm(rich)]).toEqual([before, 0n])
  await act(richKey, { to: bridge, token: purr, amount: 10n })
  await mine()
  expect([await spot(rich), await evm(rich)]).toEqual([before - 10n, 10n * SCALE])
})

test('an account that is activated in a block can act from the next block on', async () => {
  await act(richKey, { to: bridge, token: purr, amount: 500n })
  await mine()
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [poor, 500n * SCALE] })
  await createEvmSender(chain, richKey).send([{ to: token, data }])
  const pending = await privateKeyToAccount(poorKey).signTransaction({
    type: 'eip1559',
    chainId: 31998,
    nonce: 0,
    gas: 200_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 1n,
    to: CORE_WRITER,
    data: spotSendData({ to: rich, token: purr, amount: 1n }),
  })
  await chain.request({ method: 'eth_sendRawTransaction', params: [pending] })
  await act(richKey, { to: poor, token: purr, amount: 10n })
  expect([await exists(poor), await spot(poor)]).toEqual([true, 10n])
})

test('invalid actions are dropped silently: too much, zero, to oneself, unknown', async () => {
  const before = [await spot(rich), await spot(poor)]
  await act(
    richKey,
    { to: poor, token: purr, amount: 2n ** 63n },
    { to: bridge, token: purr, amount: 2n ** 63n },
    { to: rich, token: purr, amount: 1n },
    { to: poor, token: purr, amount: 0n },
  )
  const junk = encodeFunctionData({
    abi: [
      { type: 'function', name: 'sendRawAction', stateMutability: 'nonpayable', inputs: [{ name: 'data', type: 'bytes' }], outputs: [] },
    ],
    args: ['0x01000007aabb'],
  })
  await createEvmSender(chain, richKey).send([{ to: CORE_WRITER, data: junk }])
  await mine()
  expect([await spot(rich), await spot(poor)]).toEqual(before)
  expect([await evm(rich), await exists(poor)]).toEqual([0n, false])
})

test('a transfer to HyperCore is lost while the bridge holds too little there', async () => {
  await act(richKey, { to: bridge, token: purr, amount: 500n })
  await mine()
  await chain.setBridgeBalance(purr, 99n)
  const before = await spot(rich)
  await cross(richKey, 100n * SCALE)
  expect([await spot(rich), await evm(rich)]).toEqual([before, 400n * SCALE])
})

test('a reorg reverts the effects on HyperCore, and a transaction that is mined again takes effect once', async () => {
  const before = await spot(rich)
  await act(richKey, { to: bridge, token: purr, amount: 500n })
  await mine()
  await chain.faults.reorg(1)
  expect([await spot(rich), await evm(rich)]).toEqual([before - 500n, 500n * SCALE])
  await chain.faults.reorg(2)
  expect([await spot(rich), await evm(rich)]).toEqual([before, 0n])
  await mine()
  await mine()
  expect([await spot(rich), await evm(rich)]).toEqual([before - 500n, 500n * SCALE])
  await chain.faults.reorg(2, { transactions: 'drop' })
  await mine()
  expect([await spot(rich), await evm(rich)]).toEqual([before, 0n])
})
