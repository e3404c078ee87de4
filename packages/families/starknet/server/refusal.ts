/** Turns a node's refusal into a `ChainFailure`, with the contract's own words for the reason. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { htlcErrors } from '../contract/client/errors.ts'
import { shortString } from '../contract/client/felt.ts'
import { NodeRefusal } from './nodes/node.ts'

/** Of starknet_api_openrpc: the question was executed, or could not be because of what it asks. Other codes are the node's own trouble. */
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

/** The chain refuses the question, whichever node is asked. */
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

/** A refusal by the chain is `would-fail`. Any other refusal is the node's own trouble (limits, sync): `unreachable`, so retry. */
export function asChainFailure(error: unknown, what: string): unknown {
  if (isRevert(error)) return new ChainFailure('would-fail', `${what}: ${revertReason(error)}`)
  if (error instanceof NodeRefusal) return new ChainFailure('unreachable', `${what}: the node refused (${error.code} ${error.message})`)
  return error
}
