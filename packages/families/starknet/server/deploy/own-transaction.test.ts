/** These tests send a transaction outside of the engine: broadcast again, bumped, and given up when it reverts. */

import { testPurpose } from '@tandem/keys/keys.fixture.ts'
import { expect, test } from 'vitest'
import { feltOf } from '../../terms/address.ts'
import { openExecutor } from '../executor.fixture.ts'
import { noopCall } from '../send/transaction.ts'
import { deployCall, invocation } from './contents.ts'
import { createOwnTransaction } from './own-transaction.ts'

const { local, chain, node, contract, solver } = await openExecutor()
const sender = feltOf(solver.address)
const signer = solver.key.signerFor(testPurpose)
const own = (call = noopCall(local.strk, sender), feeBumpSeconds = chain.feeBumpSeconds) =>
  createOwnTransaction({ ...chain, feeBumpSeconds }, node, signer, invocation('doing nothing', sender, call))

test('is sent once, bumped when it waits too long, and reported by the hash that was mined', async () => {
  const patient = own()
  await patient.send()
  const first = await patient.tx()
  await patient.send()
  expect(await patient.tx()).toBe(first)

  const hasty = own(undefined, 0n)
  await hasty.send()
  const [before] = local.chain.node.pool.all()
  await hasty.send()
  const [after, ...others] = local.chain.node.pool.all()
  expect(others).toEqual([])
  expect(after?.nonce).toBe(before?.nonce)
  expect(after?.hash).not.toBe(before?.hash)
  expect(BigInt((await hasty.tx()) ?? 0)).toBe(after?.hash)
  local.chain.mine()
  await hasty.send()
  expect(await node.outcome((await hasty.tx()) ?? '')).toEqual({ kind: 'succeeded' })
  expect(local.chain.node.pool.all()).toEqual([])
  // The nonce is used, so the transaction is signed again.
  await patient.send()
  local.chain.mine()
  expect(await node.outcome((await patient.tx()) ?? '')).toEqual({ kind: 'succeeded' })
  expect(await patient.tx()).not.toBe(first)
})

test('that would revert, or did, fails with the reason', async () => {
  const classHash = (await node.classHashAt(contract.address)) ?? '0x0'
  const deployment = { calls: [deployCall(classHash, [local.strk])] }
  const [one, same] = [own(deployment), own(deployment)]
  await one.send()
  local.chain.mine()
  await expect(same.send()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('doing nothing: ') })
  expect(await same.tx()).toBeNull()
  const reverted = createOwnTransaction(
    chain,
    { ...node, outcome: async () => ({ kind: 'reverted', reason: 'because' }) },
    signer,
    invocation('doing nothing', sender, noopCall(local.strk, sender)),
  )
  await reverted.send()
  await expect(reverted.send()).rejects.toMatchObject({ kind: 'would-fail', message: expect.stringContaining('reverted: because') })
})
