/** Turns a failed execution into a `ChainFailure`, with the module's own name for the reason. */

import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { moduleName } from '../../contract/client/calls.ts'
import { abortName } from '../../contract/client/errors.ts'
import type { ExecutionFailure } from '../nodes/node.ts'

export function asChainFailure(failure: ExecutionFailure, what: string, packageId: string): ChainFailure {
  return new ChainFailure('would-fail', `${what}: ${reasonOf(failure, packageId)}`)
}

/** `packageId` is that of our module. Codes of other modules mean something else. */
export function reasonOf({ abort, description }: ExecutionFailure, packageId: string): string {
  const isOurs = abort !== null && abort.package === packageId && abort.module === moduleName
  return (isOurs ? abortName(abort.code) : null) ?? description
}
