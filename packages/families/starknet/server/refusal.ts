/** Turns a node's refusal into a `ChainFailure`, with the contract's own words for the reason. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcErrors } from '../contract/client/errors.ts'
import { shortString } from '../contract/client/felt.ts'
import { NodeRefusal } from './nodes/node.ts'

/** The codes of starknet_api_openrpc for a request that was executed, or that could not be because of its content. Other codes are the node's own failure. */
const codes = {
  contractNotFound: 20,
  entryPointNotFound: 21,
  contractError: 40,
  transactionExecutionError: 41,
  insufficientResources: 53,
  insufficientBalance: 54,
  validationFailure: 55,
} as const
const byTheChain: ReadonlySet<number> = new Set(Object.values(codes))

export function isRevert(error: unknown): error is NodeRefusal {
  return error instanceof NodeRefusal && byTheChain.has(error.code)
}

const MAX_REASON = 300

/** Nodes write a panic as felts, as text, or both. */
export function revertReason({ reason, message }: NodeRefusal): string {
  const known = Object.values(htlcErrors).find((name) => reason.includes(name) || reason.includes(shortString(name)))
  if (known !== undefined) return known
  const texts = [...reason.matchAll(/\('([\x20-\x7e]{1,31})'\)/g)].map(([, text]) => text)
  return texts.at(-1) ?? (reason === '' ? message : reason).slice(0, MAX_REASON)
}

/** A refusal by the chain is `would-fail`. Any other is the node's own failure (limits, sync): `unreachable`, so it is tried again. */
export function asChainFailure(error: unknown, what: string): unknown {
  if (isRevert(error)) return new ChainFailure('would-fail', `${what}: ${revertReason(error)}`)
  if (error instanceof NodeRefusal) return new ChainFailure('unreachable', `${what}: the node refused (${error.code} ${error.message})`)
  return error
}
