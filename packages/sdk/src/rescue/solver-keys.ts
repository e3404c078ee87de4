/**
 * Public keys of solvers, where the address of an HTLC depends on them: those that this version of the SDK pins, those of the integrator, those that the service
 * named while it was there, and those of the swaps that are remembered. A wrong one finds nothing, and nothing is ever paid to it.
 */

import type { OwnKeys } from '@tandem/chain-kit/browser/family.ts'
import { loadFamily } from '@tandem/families/browser.ts'
import type { ChainRecord } from '@tandem/protocol/wire/chain.ts'
import { ApiError, NetworkError } from '../client/errors.ts'
import type { SwapContext } from '../swap/context.ts'
import { listSwaps } from '../swap/saved-swap.ts'
import { findChain, pinnedSolverKeys } from '../verify/pinned.ts'

/** By chain. */
export type SolverKeys = Readonly<Record<string, readonly string[]>>

const STORED = 'tandem:solver-keys'
/** The limit for one chain. Each key costs the search some 40 requests. */
const MAX_KEYS = 64
/** A call that does something else waits no longer than this for the keys, because they are needed only later. */
const LEARN_TIMEOUT_MS = 5_000

/** `given` are those of the caller: a text among them that is no key is an error. */
export async function solverKeysOn(
  context: SwapContext,
  chain: string,
  { isPublicKey }: Pick<OwnKeys, 'isPublicKey'>,
  given: readonly string[],
): Promise<readonly string[]> {
  const wrong = given.find((key) => !isPublicKey(key))
  if (wrong !== undefined) throw new Error(`"${wrong.slice(0, 90)}" is not the public key of a solver: expected 64 hex digits, x-only`)
  const found = [
    ...given,
    ...pinnedSolverKeys(chain),
    ...(context.options.solverKeys?.[chain] ?? []),
    ...((await storedKeys(context))[chain] ?? []),
    ...(await keysOfSwaps(context, chain)),
  ]
  return [...new Set(found)].filter(isPublicKey)
}

/** Asks the service for the keys, and saves them. The result is false if it does not answer. */
export async function learnSolverKeys(context: SwapContext, signal?: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.timeout(LEARN_TIMEOUT_MS)
  try {
    const chains = await context.client.chains({}, { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) })
    await rememberSolverKeys(context, keysIn(chains))
    return true
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ApiError || error instanceof NetworkError || limit.aborted) return false
    throw error
  }
}

/** The answer may be anything: one that is no list of chains has no keys, and must not keep the user from saving a file. */
function keysIn(chains: unknown): unknown {
  const list: readonly (Partial<ChainRecord> | null)[] = Array.isArray(chains) ? chains : []
  return Object.fromEntries(list.map((one) => [String(one?.chain), one?.solver_keys]))
}

/** Adds the keys that the service or a file names to the known ones. Only public keys count, so that nothing else takes their place. */
export async function rememberSolverKeys(context: SwapContext, named: unknown): Promise<void> {
  const known = await storedKeys(context)
  const merged = { ...known }
  for (const [chain, keys] of Object.entries(named ?? {})) {
    const family = findChain(chain, context.options.registry)?.family
    const { ownKeys } = family === undefined ? {} : await loadFamily(family)
    if (!Array.isArray(keys) || ownKeys === undefined) continue
    const added = keys.filter((key): key is string => typeof key === 'string' && ownKeys.isPublicKey(key))
    const all = [...new Set([...(known[chain] ?? []), ...added])].slice(0, MAX_KEYS)
    if (all.length > 0) merged[chain] = all
  }
  if (JSON.stringify(merged) !== JSON.stringify(known)) await context.storage.setItem(STORED, JSON.stringify(merged))
}

export async function storedKeys({ storage }: SwapContext): Promise<SolverKeys> {
  return JSON.parse((await storage.getItem(STORED)) ?? '{}') as SolverKeys
}

async function keysOfSwaps(context: SwapContext, chain: string): Promise<readonly string[]> {
  return (await listSwaps(context)).flatMap(({ paidFor }) => {
    if (paidFor === null) return []
    const { source_swap: source, destination_swap: destination } = paidFor
    return [...(source.chain === chain ? [source.redeemer] : []), ...(destination.chain === chain ? [destination.initiator] : [])]
  })
}
