/** Tests that what we ask to sign, and the call with it, are those of starknet.js. */

import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { CallData, hash, type OutsideTransaction, outsideExecution, typedData } from 'starknet'
import { describe, expect, it } from 'vitest'
import { type Felt, shortString } from '../contract/client/felt.ts'
import { type HtlcContract, orderIdOf } from './htlc.ts'
import { initiatedByOutsideCall, outsideCall, outsideExecutionOf, outsideTypedData } from './outside-execution.ts'

const account = `0x${'3'.repeat(63)}`
const caller = `0x${'5'.repeat(63)}`
const contract: HtlcContract = { chainId: shortString('SN_SEPOLIA'), address: `0x${'1'.repeat(62)}`, token: `0x${'2'.repeat(62)}` }
const terms: HtlcTerms = {
  asset: 'starknet_sepolia:wbtc',
  initiator: account,
  redeemer: `0x${'4'.repeat(63)}`,
  timelock: 600n,
  amount: 3n * 2n ** 128n + 7n,
  secretHash: 'ab'.repeat(32),
}
const deadline = 1_800_000_000n
const execution = outsideExecutionOf(contract, terms, caller, deadline)
const signature: readonly Felt[] = ['0x7', '0x8', '0x9']

const entryPoints = ['approve', 'initiate']
const calls = execution.calls.map(({ to, calldata }, index) => ({
  contractAddress: to,
  entrypoint: entryPoints[index] ?? '',
  calldata: [...calldata],
}))

describe.each([
  ['outside-execution-v2', '2', 'execute_from_outside_v2'],
  ['outside-execution-v1', '1', 'execute_from_outside'],
] as const)('%s', (way, version, entryPoint) => {
  it('is hashed as starknet.js hashes its own', () => {
    const options = { caller, execute_after: 0, execute_before: Number(deadline) }
    const theirs = outsideExecution.getTypedData(contract.chainId, options, execution.nonce, calls, version)
    const ours = outsideTypedData(way, contract.chainId, execution)
    expect(typedData.getMessageHash(ours as never, account)).toBe(typedData.getMessageHash(theirs, account))
    expect(ours.domain).toEqual(theirs.domain)
    expect(ours.types).toEqual(theirs.types)
  })

  it('is called as starknet.js calls it, and can be read from the call', () => {
    const outside: OutsideTransaction = {
      outsideExecution: {
        caller,
        nonce: execution.nonce,
        execute_after: 0,
        execute_before: Number(deadline),
        calls: calls.map((call) => outsideExecution.getOutsideCall(call)),
      },
      signature: [...signature],
      signerAddress: account,
      version,
    }
    const [theirs] = outsideExecution.buildExecuteFromOutsideCall(outside)
    const ours = outsideCall(way, account, execution, signature)
    expect(ours.calldata.map(BigInt)).toEqual(CallData.compile(theirs?.calldata ?? []).map(BigInt))
    expect(theirs?.entrypoint).toBe(entryPoint)
    expect(ours.selector).toBe(hash.getSelectorFromName(entryPoint))
    expect(ours.to).toBe(theirs?.contractAddress)
    expect(initiatedByOutsideCall(ours)).toEqual({ htlc: contract.address, orderId: orderIdOf(contract, terms) })
  })
})

it('another call initiates nothing from outside', () => {
  for (const call of execution.calls) expect(initiatedByOutsideCall(call)).toBeNull()
  expect(initiatedByOutsideCall({ ...outsideCall('outside-execution-v2', account, execution, signature), calldata: ['0x1'] })).toBeNull()
})

it('the nonce is the id of the order, and the approval is of its amount', () => {
  expect(execution.nonce).toBe(orderIdOf(contract, terms))
  expect(execution.calls[0]).toMatchObject({ to: contract.token, calldata: [contract.address, '0x7', '0x3'] })
  expect(execution.calls[1]).toMatchObject({ to: contract.address })
})
