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
/** Of one chain. Each costs the search some 40 requests. */
const MOST_KEYS = 64
/** Keys are of use later: whoever waits for something else must not wait long for them. */
const LEARN_MS = 5_000

/** `given`: of the caller, who is told if one is not a key. */
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

/** Asks the service, and remembers what it says. False: it does not answer. */
export async function learnSolverKeys(context: SwapContext, signal?: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.timeout(LEARN_MS)
  try {
    const chains = await context.client.chains({}, { signal: signal === undefined ? limit : AbortSignal.any([signal, limit]) })
    await rememberSolverKeys(context, toldIn(chains))
    return true
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof ApiError || error instanceof NetworkError || limit.aborted) return false
    throw error
  }
}

/** Whatever the service answers: what is no list of chains tells nothing, and must not keep anybody from saving a file. */
function toldIn(chains: unknown): unknown {
  const list: readonly (Partial<ChainRecord> | null)[] = Array.isArray(chains) ? chains : []
  return Object.fromEntries(list.map((one) => [String(one?.chain), one?.solver_keys]))
}

/** Of the service or of a file: only public keys count, so that nothing else takes their place. Those that are known stay. */
export async function rememberSolverKeys(context: SwapContext, named: unknown): Promise<void> {
  const known = await storedKeys(context)
  const merged = { ...known }
  for (const [chain, keys] of Object.entries(named ?? {})) {
    const family = findChain(chain)?.family
    const { ownKeys } = family === undefined ? {} : await loadFamily(family)
    if (!Array.isArray(keys) || ownKeys === undefined) continue
    const told = keys.filter((key): key is string => typeof key === 'string' && ownKeys.isPublicKey(key))
    const all = [...new Set([...(known[chain] ?? []), ...told])].slice(0, MOST_KEYS)
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
