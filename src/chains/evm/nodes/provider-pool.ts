/** The providers of one chain: who is asked first, who is left aside for a while, and that each of them serves this very chain. */
import { ChainFailure } from '../../port/failure.ts'
import type { EvmNode } from './node.ts'

export type Provider = {
  /** Its host, and never more of its URL, which may hold a key. */
  readonly name: string
  readonly node: EvmNode
}

export interface ProviderPool {
  /** All, the best first. One in good standing keeps its place, so that our view of the chain does not flap. */
  ranked(): readonly Provider[]
  /** Those in good standing and those whose time aside is over. */
  available(): readonly Provider[]
  /** Asks it something, once it has shown that it serves our chain. */
  ask<T>(provider: Provider, question: (node: EvmNode) => Promise<T>): Promise<T>
  /** Leaves it aside: twice as long as the time before, if there was one lately. */
  failed(provider: Provider, why: string): void
  /** It keeps up with the others and agrees with them. */
  sound(provider: Provider): void
}

export type PoolOptions = {
  readonly chainId: bigint
  /** Told once for each reason. */
  readonly onTrouble: (what: string) => void
  readonly nowMs?: () => number
}

const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
const FORGIVEN_AFTER_MS = 600_000

type Standing = {
  isChainChecked: boolean
  failures: number
  failedAtMs: number
  /** Null in good standing. */
  asideUntilMs: number | null
  toldOf: string | null
}

export function createProviderPool(
  providers: readonly Provider[],
  { chainId, onTrouble, nowMs = () => performance.now() }: PoolOptions,
): ProviderPool {
  const fresh = (): Standing => ({ isChainChecked: false, failures: 0, failedAtMs: 0, asideUntilMs: null, toldOf: null })
  const standings = new Map(providers.map((provider) => [provider, fresh()]))
  let sequence = [...providers]

  function standingOf(provider: Provider): Standing {
    const standing = standings.get(provider)
    if (standing === undefined) throw new Error(`${provider.name} is not of this pool`)
    return standing
  }
  const isSound = (provider: Provider) => standingOf(provider).asideUntilMs === null
  const isAvailable = (provider: Provider) => (standingOf(provider).asideUntilMs ?? 0) <= nowMs()

  return {
    ranked: () => [...sequence.filter(isSound), ...sequence.filter((provider) => !isSound(provider))],
    available: () => sequence.filter(isAvailable),

    async ask(provider, question) {
      const standing = standingOf(provider)
      if (!standing.isChainChecked) {
        const served = await provider.node.chainId()
        if (served !== chainId) throw new ChainFailure('unreachable', `serves the chain ${served}, expected ${chainId}`)
        standing.isChainChecked = true
      }
      return question(provider.node)
    },

    failed(provider, why) {
      const standing = standingOf(provider)
      const now = nowMs()
      // Questions that were asked at the same time fail together.
      if (standing.asideUntilMs !== null && now < standing.asideUntilMs) return
      standing.failures = now - standing.failedAtMs > FORGIVEN_AFTER_MS ? 1 : standing.failures + 1
      standing.failedAtMs = now
      standing.asideUntilMs = now + Math.min(FIRST_PAUSE_MS * 2 ** (standing.failures - 1), LONGEST_PAUSE_MS)
      standing.isChainChecked = false
      sequence = [...sequence.filter((other) => other !== provider), provider]
      if (standing.toldOf !== why) onTrouble(`${provider.name} is left aside for a while: ${why}`)
      standing.toldOf = why
    },

    sound(provider) {
      const standing = standingOf(provider)
      standing.asideUntilMs = null
      standing.toldOf = null
    },
  }
}

/** By host; with a number where several have the same. */
export function providerNames(urls: readonly string[]): readonly string[] {
  const hosts = urls.map((url) => new URL(url).host)
  return hosts.map((host, i) => (hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host} (${i + 1})`))
}
