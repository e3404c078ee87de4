/** A policy with the lists that an operator left out. */
import { openPolicy, type Policy } from '@tandem/protocol/policy.ts'
import type { ServiceConfig } from './schema.ts'

export function completePolicy(policy: ServiceConfig['policy']): Policy {
  return { ...openPolicy, ...policy }
}
