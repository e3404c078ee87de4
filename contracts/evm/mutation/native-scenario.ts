// What only an HTLC for the native coin can get wrong: the value of a call, and recipients that are contracts.
import { encodeFunctionData } from 'viem'
import { reentrantAccount } from '../artifacts/reentrant-account.ts'
import { rejectingAccount } from '../artifacts/rejecting-account.ts'
import { createHtlcScene, type Stage } from '../htlc.fixture.ts'
import { htlcCall } from '../htlc-order.fixture.ts'
import { moves, refused } from './expectations.ts'
import { playOrders } from './order-scenario.ts'

export async function playNativeHtlc(stage: Stage): Promise<void> {
  const scene = await createHtlcScene('native', undefined, stage)
  await playOrders(scene)
  const order = scene.newOrder()
  for (const value of [order.amount - 1n, order.amount + 1n]) {
    await refused(scene, scene.initiator, htlcCall.initiate(order), 'HTLC__WrongValue', value)
    await refused(scene, scene.stranger, htlcCall.initiateOnBehalf(order), 'HTLC__WrongValue', value)
  }
  const unwilling = await scene.open({ redeemer: await scene.fixture.deploy(rejectingAccount) })
  await refused(scene, scene.stranger, htlcCall.redeem(unwilling), 'HTLC__TransferFailed')

  const account = await scene.fixture.deploy(reentrantAccount)
  const paid = await scene.open({ redeemer: account })
  const data = htlcCall.redeem(paid)
  const arm = encodeFunctionData({ abi: reentrantAccount.abi, functionName: 'arm', args: [scene.htlc, data, 0n] })
  await scene.fixture.send({ from: scene.stranger, to: account, data: arm })
  await moves(scene, { from: scene.stranger, data, payee: account, amount: paid.amount })
}
