/**
 * By one signature an account lets another one approve and initiate for it, in one transaction: an outside execution (SNIP-9). What is signed
 * and the call with it are pure functions of the terms, the order's deadline and the caller.
 */

import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Call } from '../contract/client/calls.ts'
import { type Felt, felt, selectorOf } from '../contract/client/felt.ts'
import { feltOf } from './address.ts'
import { approvalCallOf, type HtlcContract, initiateCallOf, orderIdOf } from './htlc.ts'

/** The newer version is first. Version 3 has no interface id that an account could name, and starknet.js cannot sign it. */
export const outsideWays = ['outside-execution-v2', 'outside-execution-v1'] as const
export type OutsideWay = (typeof outsideWays)[number]

export type OutsideExecution = {
  /** The account takes it from nobody else: a stranger who sent it first would make our transaction revert. */
  readonly caller: Felt
  /** The account takes it once. It is the id of the order. */
  readonly nonce: Felt
  readonly executeBefore: bigint
  readonly calls: readonly [approve: Call, initiate: Call]
}

type Field = { readonly name: string; readonly type: string }

export type OutsideTypedData = {
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly primaryType: 'OutsideExecution'
  readonly domain: Readonly<Record<string, string>>
  readonly message: Readonly<Record<string, unknown>>
}

/** Every block is later. */
const EXECUTE_AFTER = 0n

const NAME = 'Account.execute_from_outside'

const entryPoints = {
  'outside-execution-v2': 'execute_from_outside_v2',
  'outside-execution-v1': 'execute_from_outside',
} as const satisfies Record<OutsideWay, string>

/** SNIP-12, revision 1. SNIP-9 reads the version of the domain as a number, as starknet.js does. */
const typesV2 = {
  StarknetDomain: [
    { name: 'name', type: 'shortstring' },
    { name: 'version', type: 'shortstring' },
    { name: 'chainId', type: 'shortstring' },
    { name: 'revision', type: 'shortstring' },
  ],
  OutsideExecution: [
    { name: 'Caller', type: 'ContractAddress' },
    { name: 'Nonce', type: 'felt' },
    { name: 'Execute After', type: 'u128' },
    { name: 'Execute Before', type: 'u128' },
    { name: 'Calls', type: 'Call*' },
  ],
  Call: [
    { name: 'To', type: 'ContractAddress' },
    { name: 'Selector', type: 'selector' },
    { name: 'Calldata', type: 'felt*' },
  ],
} as const

/** SNIP-12, revision 0. */
const typesV1 = {
  StarkNetDomain: [
    { name: 'name', type: 'felt' },
    { name: 'version', type: 'felt' },
    { name: 'chainId', type: 'felt' },
  ],
  OutsideExecution: [
    { name: 'caller', type: 'felt' },
    { name: 'nonce', type: 'felt' },
    { name: 'execute_after', type: 'felt' },
    { name: 'execute_before', type: 'felt' },
    { name: 'calls_len', type: 'felt' },
    { name: 'calls', type: 'OutsideCall*' },
  ],
  OutsideCall: [
    { name: 'to', type: 'felt' },
    { name: 'selector', type: 'felt' },
    { name: 'calldata_len', type: 'felt' },
    { name: 'calldata', type: 'felt*' },
  ],
} as const

/** The approval is of exactly the amount, which the initiation takes: if that one fails, neither happens. */
export function outsideExecutionOf(contract: HtlcContract, terms: HtlcTerms, caller: string, deadline: bigint): OutsideExecution {
  return {
    caller: feltOf(caller),
    nonce: orderIdOf(contract, terms),
    executeBefore: deadline,
    calls: [approvalCallOf(contract, terms.amount), initiateCallOf(contract, terms, terms.initiator)],
  }
}

export function outsideTypedData(
  way: OutsideWay,
  chainId: Felt,
  { caller, nonce, executeBefore, calls }: OutsideExecution,
): OutsideTypedData {
  const primaryType = 'OutsideExecution'
  if (way === 'outside-execution-v2') {
    return {
      types: typesV2,
      primaryType,
      domain: { name: NAME, version: '2', chainId, revision: '1' },
      message: {
        Caller: caller,
        Nonce: nonce,
        'Execute After': `${EXECUTE_AFTER}`,
        'Execute Before': `${executeBefore}`,
        Calls: calls.map(({ to, selector, calldata }) => ({ To: to, Selector: selector, Calldata: calldata })),
      },
    }
  }
  return {
    types: typesV1,
    primaryType,
    domain: { name: NAME, version: '1', chainId },
    message: {
      caller,
      nonce,
      execute_after: `${EXECUTE_AFTER}`,
      execute_before: `${executeBefore}`,
      calls_len: `${calls.length}`,
      calls: calls.map(({ to, selector, calldata }) => ({ to, selector, calldata_len: `${calldata.length}`, calldata })),
    },
  }
}

export function outsideCall(way: OutsideWay, account: string, execution: OutsideExecution, signature: readonly Felt[]): Call {
  const { caller, nonce, executeBefore, calls } = execution
  const written = calls.flatMap(({ to, selector, calldata }) => [to, selector, ...listOf(calldata)])
  const calldata = [caller, nonce, felt(EXECUTE_AFTER), felt(executeBefore), felt(BigInt(calls.length)), ...written, ...listOf(signature)]
  return { to: feltOf(account), selector: selectorOf(entryPoints[way]), calldata }
}

/** Reads when a call that `outsideCall` has written ends. Of another call it is any number. */
export function outsideDeadlineOf({ calldata: [, , , executeBefore = '0x0'] }: Pick<Call, 'calldata'>): bigint {
  return BigInt(executeBefore)
}

function listOf(items: readonly Felt[]): readonly Felt[] {
  return [felt(BigInt(items.length)), ...items]
}

const selectors: ReadonlySet<string> = new Set(Object.values(entryPoints).map(selectorOf))
/** Before the initiation are four numbers, the count of calls, and the approval: a contract, a selector, and three felts with their count. */
const INITIATE_AT = 5 + 6

/** Reads the call that `outsideCall` has written. Null means that the call is another one. */
export function initiatedByOutsideCall({ selector, calldata }: Pick<Call, 'selector' | 'calldata'>): { htlc: Felt; orderId: Felt } | null {
  const [, orderId] = calldata
  const htlc = calldata[INITIATE_AT]
  return selectors.has(selector) && orderId !== undefined && htlc !== undefined ? { htlc, orderId } : null
}
