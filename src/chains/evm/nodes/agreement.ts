/** Asks several providers one question, and believes what enough of them say. */
import { ChainFailure } from '../../port/failure.ts'
import { isInsufficientFunds, isOutOfGas, isRevert } from '../send/revert.ts'
import { type Failure, isUnreachable } from './ask-quorum.ts'
import type { EvmNode } from './node.ts'
import type { Provider, ProviderPool } from './provider-pool.ts'
import { NodeRefusal } from './rpc.ts'

export type Question<T> = {
  readonly what: string
  readonly ask: (node: EvmNode) => Promise<T>
  /** Equal for equal answers; null for "I do not have it". */
  readonly keyOf: (answer: T) => string | null
  /** About something that does not change with the newest block: who says otherwise is wrong, and not just ahead or behind. */
  readonly isLasting: boolean
}

/** A provider that takes longer is not waited for if another can answer in its place. */
const PATIENCE_MS = 2_000

type Vote<T> = { readonly providers: Provider[]; readonly key: string | null; readonly outcome: () => T }

/** The answer that `quorum` providers give alike. As few are asked as can settle it; the next when one fails, differs or is slow. */
export function agree<T>(pool: ProviderPool, quorum: number, { what, ask, keyOf, isLasting }: Question<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const waiting = [...pool.ranked()]
    const open = new Map<Provider, number>()
    const votes = new Map<string, Vote<T>>()
    const failures: Failure[] = []
    const timer = setInterval(() => startNext(), PATIENCE_MS)
    let isSettled = false

    function settle(finish: () => void): void {
      isSettled = true
      clearInterval(timer)
      finish()
    }

    function startNext(): void {
      const provider = waiting.shift()
      if (provider === undefined) return
      open.set(provider, performance.now())
      pool.ask(provider, ask).then(
        (answer) => heard(provider, () => vote(provider, `answer ${keyOf(answer)}`, keyOf(answer), () => answer)),
        (error: unknown) => heard(provider, () => hearError(provider, error)),
      )
    }

    function heard(provider: Provider, note: () => void): void {
      open.delete(provider)
      if (isSettled) return
      note()
      if (!isSettled) decide()
    }

    function vote(provider: Provider, ballot: string, key: string | null, outcome: () => T): void {
      const known = votes.get(ballot)
      if (known === undefined) votes.set(ballot, { providers: [provider], key, outcome })
      else known.providers.push(provider)
    }

    function hearError(provider: Provider, error: unknown): void {
      // Clients word a revert differently, and not all of them give its data: that it reverts is what they can agree on.
      if (isVerdict(error)) vote(provider, 'refusal', null, () => throwIt(error))
      else if (error instanceof NodeRefusal) failures.push({ provider, error })
      else if (isUnreachable(error)) {
        pool.failed(provider, error.message)
        failures.push({ provider, error })
      } else settle(() => reject(error))
    }

    function decide(): void {
      const ballots = [...votes.values()].sort((a, b) => b.providers.length - a.providers.length)
      const [first] = ballots
      const most = first?.providers.length ?? 0
      if (first !== undefined && most >= quorum) {
        settle(() => accept(first))
        return
      }
      while (most + open.size < quorum && waiting.length > 0) startNext()
      if (open.size === 0) settle(() => reject(unsettled(ballots)))
    }

    function unsettled(ballots: readonly Vote<T>[]): Error {
      const refusal = ballots.length === 0 ? refusalAmong(failures) : undefined
      return (
        refusal ??
        noAgreement(
          what,
          quorum,
          ballots.map(({ providers }) => providers),
          failures,
        )
      )
    }

    function accept(winner: Vote<T>): void {
      for (const { providers, key } of votes.values()) {
        if (isLasting && key !== null && winner.key !== null && key !== winner.key)
          for (const provider of providers) pool.failed(provider, `it contradicts the others about ${what}`)
      }
      for (const [provider, sinceMs] of open) {
        if (performance.now() - sinceMs >= PATIENCE_MS) pool.failed(provider, 'it is slow')
      }
      try {
        resolve(winner.outcome())
      } catch (refusal) {
        reject(refusal)
      }
    }

    for (let started = 0; started < quorum; started += 1) startNext()
    decide()
  })
}

/** Why a question stays open. `camps`: those who answered alike. */
export function noAgreement(
  what: string,
  quorum: number,
  camps: readonly (readonly Provider[])[],
  failures: readonly Failure[],
): ChainFailure {
  const silent = failures.map(({ provider, error }) => `${provider.name}: ${error instanceof Error ? error.message : error}`)
  const others = silent.length > 0 ? `; ${silent.join('; ')}` : ''
  if (camps.length > 1) {
    const sides = camps.map((camp) => camp.map(({ name }) => name).join(' and ')).join(' against ')
    return new ChainFailure('unreachable', `${what}: providers do not agree, ${sides}; ${quorum} must${others}`)
  }
  return new ChainFailure('unreachable', `${what}: ${camps[0]?.length ?? 0} of the ${quorum} providers needed answered${others}`)
}

/** What a refusal means is for the caller to tell. */
export function refusalAmong(failures: readonly Failure[]): NodeRefusal | undefined {
  return failures.map(({ error }) => error).find((error) => error instanceof NodeRefusal)
}

/** What the chain itself says of a call, and not the provider's own trouble. */
function isVerdict(error: unknown): error is NodeRefusal {
  return isRevert(error) || isInsufficientFunds(error) || isOutOfGas(error)
}

function throwIt(error: unknown): never {
  throw error
}
