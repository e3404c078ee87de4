/**
 * Finds out by trial whether an account takes outside executions (SNIP-9), and of which version: what it says of itself, and what it does.
 * It must refuse what nobody signed.
 */

import { type Felt, selectorOf, shortString } from '../../contract/client/felt.ts'
import { type OutsideExecution, type OutsideWay, outsideCall, outsideWays } from '../../terms/outside-execution.ts'
import { estimateCalls } from '../fees/gas.ts'
import type { StarknetNode } from '../nodes/node.ts'
import { asChainFailure, isRevert } from '../refusal.ts'

/** SNIP-9 names these for SNIP-5. */
const interfaceIds = {
  'outside-execution-v2': '0x1d1144bb2138366ff28d8e9ab57456b1d332ac42196230c3a602003c89872',
  'outside-execution-v1': '0x68cfd18b92d1907b8ba3cc324900277f5a3622099431ea85dd8089255e4181',
} as const satisfies Record<OutsideWay, Felt>

const SUPPORTS_INTERFACE = selectorOf('supports_interface')
const IS_VALID_NONCE = selectorOf('is_valid_outside_execution_nonce')
/** No account has this signature of anything: r and s are not 0. */
const NOBODYS_SIGNATURE: readonly Felt[] = ['0x0', '0x0']

type Asking = Pick<StarknetNode, 'call' | 'nonce' | 'estimate'>

/** Null means that the account takes none, or none with this nonce. */
export async function supportedWay(node: Asking, account: Felt, execution: OutsideExecution): Promise<OutsideWay | null> {
  const [isFresh, ...named] = await Promise.all([
    saysYes(node, account, IS_VALID_NONCE, execution.nonce),
    ...outsideWays.map((way) => saysYes(node, account, SUPPORTS_INTERFACE, interfaceIds[way])),
  ])
  if (!isFresh) return null
  for (const way of outsideWays.filter((_, index) => named[index])) if (await refusesNobodys(node, account, way, execution)) return way
  return null
}

/** The account may be hostile: a panic, and any answer but exactly true, is a no. */
async function saysYes(node: Asking, account: Felt, selector: Felt, argument: Felt): Promise<boolean> {
  try {
    const answer = await node.call({ to: account, selector, calldata: [argument] })
    return answer.length === 1 && answer[0] === '0x1'
  } catch (error) {
    if (isRevert(error)) return false
    throw asChainFailure(error, `asking the account ${account} about outside executions`)
  }
}

async function refusesNobodys(node: Asking, account: Felt, way: OutsideWay, execution: OutsideExecution): Promise<boolean> {
  try {
    await estimateCalls(node, execution.caller, { calls: [outsideCall(way, account, execution, NOBODYS_SIGNATURE)] })
    return false
  } catch (error) {
    if (isRevert(error)) return !NO_ENTRY_POINT.test(error.reason)
    throw asChainFailure(error, `trying an outside execution of the account ${account}`)
  }
}

/** Nodes write it as a text, as a felt, or both. */
const NO_ENTRY_POINT = new RegExp(`ENTRYPOINT_NOT_FOUND|${shortString('ENTRYPOINT_NOT_FOUND')}|entry ?point\\b.*\\bnot found`, 'i')
