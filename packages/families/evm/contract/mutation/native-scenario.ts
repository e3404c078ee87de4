// Checks the native coin only: the value of a call, and recipients that are contracts.
import { encodeFunctionData } from 'viem'
import { reentrantAccount } from '../artifacts/reentrant-account.ts'
import { rejectingAccount } from '../artifacts/rejecting-account.ts'
import { createHtlcSetup, type SetupOptions } from '../htlc.fixture.ts'
import { htlcCall } from '../htlc-order.fixture.ts'
import { playDeposits } from './deposit-scenario.ts'
import { moves, refused } from './expectations.ts'
import { playOrders } from './order-scenario.ts'
import type { Part } from './parts.ts'

export function nativeScenario(options: SetupOptions): readonly Part[] {
  return [
    { files: [], play: () => playCoin(options) },
    { files: ['BriefAccounts.sol', 'DepositAccount.sol', 'Deposits.sol'], play: () => playDeposits('native', options) },
  ]
}

async function playCoin(options: SetupOptions): Promise<void> {
  const setup = await createHtlcSetup('native', undefined, options)
  await playOrders(setup)
  const order = setup.newOrder()
  for (const value of [order.amount - 1n, order.amount + 1n]) {
    await refused(setup, setup.initiator, htlcCall.initiate(order), 'HTLC__WrongValue', value)
    await refused(setup, setup.stranger, htlcCall.initiateOnBehalf(order), 'HTLC__WrongValue', value)
  }
  const unwilling = await setup.open({ redeemer: await setup.fixture.deploy(rejectingAccount) })
  await refused(setup, setup.stranger, htlcCall.redeem(unwilling), 'HTLC__TransferFailed')

  const account = await setup.fixture.deploy(reentrantAccount)
  const paid = await setup.open({ redeemer: account })
  const data = htlcCall.redeem(paid)
  const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [setup.htlc, data, 0n] })
  await setup.fixture.send({ from: setup.stranger, to: account, data: arm })
  await moves(setup, { from: setup.stranger, data, payee: account, amount: paid.amount })
}
