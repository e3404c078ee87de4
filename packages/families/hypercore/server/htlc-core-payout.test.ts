// Tests every way in which HyperCore could silently lose a payout of its HTLC, on the simulator.

import { contractAccount } from '@tandem/evm/contract/artifacts/contract-account.ts'
import { htlcCore } from '@tandem/evm/contract/artifacts/htlc-core.ts'
import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { coreTokens } from '../local/core-state-machine.ts'
import { CORE_USER_EXISTS, CORE_WRITER, systemAddressOf } from '../terms/core.ts'
import { AMOUNT, onCore, onEvm, useHtlcCore } from './htlc-core.fixture.ts'
import { type CoreOrder, on, redeeming, transfer } from './htlc-core-order.fixture.ts'
import { EVM_PER_CORE, ON_EVM } from './hypercore.fixture.ts'

const core = useHtlcCore()
const { send, call, open, gainOf, makeTwin, undone } = core

describe('a payout', () => {
  test('reaches the spot account of the redeemer, and after the timelock that of the initiator', async () => {
    const [redeemed, refunded] = [await open(), await open()]
    expect(await gainOf(core.fixture.solver.address, () => call(core.fixture.relay, redeeming(redeemed)))).toEqual(onCore)
    await core.fixture.passSeconds(600n)
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.relay, on('refund', refunded)))).toEqual(onCore)
    expect(await core.fixture.evmBalance(core.contract.address)).toBe(0n)
  })

  test('of an instant refund reaches the spot account, too', async () => {
    const { args } = await open()
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'instantRefund', args: [...args, '0x'] })
    expect(await gainOf(core.fixture.user.address, () => call(core.fixture.solver, data))).toEqual(onCore)
  })

  test('stays on HyperEVM when the payee has no account on HyperCore: sending there would cost a fee', async () => {
    const stranger = await core.fixture.party()
    const order = await open({ redeemer: stranger.address })
    expect(await gainOf(stranger.address, () => call(core.fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  test('stays on HyperEVM when the HTLC itself has no account on HyperCore: it could not forward the credit', async () => {
    core.contract = { ...core.contract, address: await core.fixture.deploy(htlcCore, [coreTokens.purr]) }
    const order = await open()
    expect(await gainOf(core.fixture.solver.address, () => call(core.fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  test('stays on HyperEVM when the bridge has too little on HyperCore, where it would be lost', async () => {
    const order = await open()
    await core.fixture.local.setBridgeBalance(coreTokens.purr, AMOUNT - 1n)
    expect(await gainOf(core.fixture.solver.address, () => call(core.fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  /** Somebody else moves the amount to HyperCore in the same block, before the redeem. */
  const redeemBehind = async (order: CoreOrder, crossing: bigint) => {
    await core.fixture.sendAs(core.fixture.relay, { to: core.contract.address, data: redeeming(order) })
    const data = transfer(systemAddressOf(coreTokens.purr), crossing * EVM_PER_CORE)
    await core.fixture.sendAs(core.fixture.solver, { to: core.contract.token, data, tip: 50_000_000_000n })
    await core.fixture.mine()
  }

  test('is not lost to other transfers in the same block when the bridge has less on HyperCore than circulates on HyperEVM', async () => {
    const onHyperEvm = 2n * ON_EVM
    await core.fixture.local.setBridgeBalance(coreTokens.purr, (onHyperEvm * 3n) / 4n)
    await makeTwin()
    const stranger = await core.fixture.party()
    await core.fixture.faucet.fundSpot(stranger.address, coreTokens.usdc, 1n)
    const amount = (ON_EVM * 6n) / 10n
    const order = await open({ amount, redeemer: stranger.address })
    const gain = await gainOf(stranger.address, () => redeemBehind(order, ON_EVM))
    expect(gain).toEqual({ spot: 0n, evm: amount * EVM_PER_CORE })
  })

  test('is not lost either when more of the ERC-20 was minted than the bridge holds', async () => {
    const order = await open()
    const mint = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [core.fixture.relay.address, 10n ** 28n + 1n] })
    await send(core.fixture.relay, core.contract.token, mint)
    await gainOf(core.fixture.solver.address, () => redeemBehind(order, ON_EVM))
    expect(await core.fixture.evmBalance(core.fixture.solver.address)).toBe(AMOUNT * EVM_PER_CORE)
  })

  test('reaches the spot account despite other transfers in the same block when the bridge covers the whole supply', async () => {
    await core.fixture.local.setBridgeBalance(coreTokens.purr, 2n * ON_EVM)
    await makeTwin()
    const order = await open()
    expect((await gainOf(core.fixture.solver.address, () => redeemBehind(order, ON_EVM))).spot).toBe(AMOUNT + ON_EVM)
  })

  test('stays on HyperEVM when the payee is a contract, even if it has an account on HyperCore', async () => {
    const account = await core.fixture.deploy(contractAccount)
    await core.fixture.faucet.fundSpot(account, coreTokens.usdc, 1n)
    const order = await open({ redeemer: account })
    expect(await gainOf(account, () => call(core.fixture.relay, redeeming(order)))).toEqual(onEvm)
  })

  test.each([
    { what: 'the writer of actions is gone', at: CORE_WRITER, code: '0x' },
    { what: 'the writer of actions refuses', at: CORE_WRITER, code: '0x5f5ffd' },
    { what: 'a read burns all gas it is given', at: CORE_USER_EXISTS, code: '0xfe' },
    { what: 'a read answers nothing', at: CORE_USER_EXISTS, code: '0x' },
  ])('stays on HyperEVM, within the gas that we pay for, when $what', async ({ at, code }) => {
    const order = await open()
    await core.fixture.local.request({ method: 'hardhat_setCode', params: [at, code] })
    const redeem = () => send(core.fixture.relay, core.contract.address, redeeming(order), { gas: 300_000n })
    expect(await gainOf(core.fixture.solver.address, redeem)).toEqual(onEvm)
  })

  test('is not diverted to HyperEVM by a sender that gives too little gas', async () => {
    const order = await open()
    const request = { from: core.fixture.relay.address, to: core.contract.address, data: redeeming(order) }
    const enough = BigInt((await core.fixture.local.request({ method: 'eth_estimateGas', params: [request] })) as Hex)
    expect(enough).toBeLessThan(200_000n)
    for (let gas = enough - 90_000n; gas < enough; gas += 6_000n) {
      await undone(async () => {
        const { evm } = await gainOf(core.fixture.solver.address, () =>
          send(core.fixture.relay, core.contract.address, redeeming(order), { gas }),
        )
        expect(evm, `with ${gas} gas`).toBe(0n)
      })
    }
  })

  test('stays on HyperEVM when the orders of a batch together exceed the largest amount of HyperCore', async () => {
    const amount = 2n ** 63n
    const mint = encodeFunctionData({
      abi: testToken.abi,
      functionName: 'mint',
      args: [core.fixture.user.address, 2n * amount * EVM_PER_CORE],
    })
    await send(core.fixture.user, core.contract.token, mint)
    await core.fixture.local.setBridgeBalance(coreTokens.purr, 2n ** 65n)
    await makeTwin()
    const orders = [await open({ amount }), await open({ amount })]
    const items = orders.map(({ args: [initiator, , timelock], secret }) => ({ initiator, timelock, amount, secret }))
    const data = encodeFunctionData({ abi: htlcCore.abi, functionName: 'redeemBatch', args: [core.fixture.solver.address, items] })
    expect(await gainOf(core.fixture.solver.address, () => call(core.fixture.relay, data))).toEqual({
      spot: 0n,
      evm: 2n * amount * EVM_PER_CORE,
    })
    expect(await core.fixture.evmBalance(core.contract.address)).toBe(0n)
    const alone = await open({ amount: 2n ** 20n })
    expect((await gainOf(core.fixture.solver.address, () => call(core.fixture.relay, redeeming(alone)))).spot).toBe(2n ** 20n)
  })
})
