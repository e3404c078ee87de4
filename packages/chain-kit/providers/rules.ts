/** The quorum rules decide how the answers of several providers become one. */
import { askUntilEqual, type Equality } from './equal-answers.ts'
import { type Answers, poll } from './poll.ts'
import { isRefusedByAll, noAgreement, type Question, type Quorum, type Rule, refusalAmong } from './quorum.ts'
import type { Refusal } from './refusal.ts'

/** A quorum gives the same answer. By default the answer may change with every block, so no provider is suspended for a different one. */
export function equal<T>({ keyOf = String, isImmutable = false, ...rest }: Partial<Equality<T>> = {}): Rule<T> {
  return (quorum, question) => askUntilEqual(quorum, question, { keyOf, isImmutable, ...rest })
}

/** The best provider that answers decides, without a quorum: for answers on which no money depends, or that carry their own proof. */
export function failover<T>(): Rule<T> {
  return (quorum, question) => askUntilEqual({ ...quorum, size: 1 }, question, { keyOf: () => null, isImmutable: false })
}

export type EqualOr<T> = {
  readonly keyOf?: (answer: T) => string
  /** This chooses if several answers have a quorum, which is possible with many providers. The default is the best provider's. */
  readonly choose?: (agreed: readonly T[]) => T
  /** This is called with at least `quorum` answers, of which too few are equal. */
  readonly otherwise: (answers: readonly T[]) => T
}

/** A quorum gives the same answer, or the caller makes one from all answers: for data that providers learn at different moments. */
export function equalOr<T>({ keyOf = String, choose = ([first]) => first as T, otherwise }: EqualOr<T>): Rule<T> {
  return byDecision((size) => ({
    decide(answers) {
      const agreed = answers.filter((one) => answers.filter((other) => keyOf(other) === keyOf(one)).length >= size)
      return agreed.length > 0 ? choose(agreed) : undefined
    },
    otherwise,
  }))
}

/**
 * A number that moves, e.g. a fee: honest providers differ. With k = quorum, fewer than k lie: so the k-th lowest answer is not below all honest ones
 * ('up'), and the k-th highest is not above all of them ('down'). With 2k − 1 answers both are the median.
 * `whenFarApart` replaces the answer where fewer answered and they are far apart.
 */
export function movingNumber(round: 'up' | 'down', whenFarApart: (answer: bigint) => bigint = (answer) => answer): Rule<bigint> {
  return byDecision((size) => ({
    decide: (values) => settledKthNumber(values, size, round),
    otherwise: (values) => whenFarApart(kthNumber(values, size, round) ?? 0n),
  }))
}

/** The result is the k-th lowest ('up') or k-th highest ('down') value, with k = `size`. Undefined means that there are fewer than k. */
export function kthNumber(values: readonly bigint[], size: number, round: 'up' | 'down'): bigint | undefined {
  return values.toSorted(ascending).at(round === 'up' ? size - 1 : -size)
}

/** The result is undefined where the values are so few and so far apart that a liar could choose it. */
export function settledKthNumber(values: readonly bigint[], size: number, round: 'up' | 'down'): bigint | undefined {
  return values.length >= 2 * size - 1 || areClose(values) ? kthNumber(values, size, round) : undefined
}

/**
 * A liar must not choose this number, e.g. a nonce: a transaction with a wrong nonce is never mined, but shows its content to everyone.
 * Either a quorum gives the same number, or the median of `2 * quorum - 1` answers is used, which is honest or between honest answers.
 */
export const exactNumber: Rule<bigint> = (quorum, question) => {
  const { size } = quorum
  if (size === 1) return failover<bigint>()(quorum, question)
  return poll(quorum.pool, {
    enough: size,
    ask: question.ask,
    decide({ answers }) {
      const numbers = valuesOf(answers).toSorted(ascending)
      const agreed = numbers.findLast((number) => numbers.filter((other) => other === number).length >= size)
      return agreed ?? (numbers.length >= 2 * size - 1 ? numbers.at(-size) : undefined)
    },
    otherwise({ answers, failures }) {
      const groups = [...new Set(valuesOf(answers))].map((number) =>
        answers.filter(([, other]) => other === number).map(([provider]) => provider),
      )
      throw noAgreement(question.what, size, groups, failures)
    },
  })
}

/** The highest height that a quorum calls final, and null if a quorum does not support the tag. If neither holds, 0 stops finality. */
export const finalHeight: Rule<bigint | null> = byDecision((size) => ({
  decide: (heights) =>
    kthNumber(
      heights.flatMap((height) => height ?? []),
      size,
      'down',
    ),
  otherwise: (heights) => (heights.filter((height) => height === null).length >= size ? null : 0n),
}))

/**
 * A quorum lists each of these items. The lists may differ at any moment. `merge` makes one item of those with the same key, at most one
 * from each provider.
 */
export function listedByQuorum<T>(keyOf: (item: T) => string, merge: (alike: readonly [T, ...T[]], size: number) => T): Rule<readonly T[]> {
  return byDecision<readonly T[]>((size) => {
    const listed = (lists: readonly (readonly T[])[]) =>
      groupAlike(lists, keyOf).flatMap((alike) => (alike.length >= size ? [merge(alike, size)] : []))
    return { decide: listed, otherwise: listed }
  })
}

/** A provider that repeats an item counts once. */
function groupAlike<T>(lists: readonly (readonly T[])[], keyOf: (item: T) => string): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>()
  for (const list of lists) {
    for (const [key, item] of new Map(list.map((one) => [keyOf(one), one]))) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return [...groups.values()]
}

export function byDecision<T>(decisionOf: (size: number) => Decision<T>): Rule<T> {
  return (quorum, question) => (quorum.size === 1 ? failover<T>()(quorum, question) : pollQuorum(quorum, question, decisionOf(quorum.size)))
}

export type Decision<T> = {
  readonly decide: (answers: readonly T[]) => T | undefined
  readonly otherwise: (answers: readonly T[]) => T
}

/** The poll fails with the refusal of a provider, or as unreachable, when fewer than `quorum` answer. */
function pollQuorum<N, T>({ pool, size }: Quorum<N>, { what, ask }: Question<N, T>, { decide, otherwise }: Decision<T>): Promise<T> {
  return poll<N, T, { readonly answer: T }>(pool, {
    enough: size,
    ask,
    decide({ answers }) {
      const answer = decide(valuesOf(answers))
      return answer === undefined ? undefined : { answer }
    },
    otherwise({ answers, failures }) {
      if (answers.length >= size) return { answer: otherwise(valuesOf(answers)) }
      throw refusalAmong(failures) ?? noAgreement(what, size, [answers.map(([provider]) => provider)], failures)
    },
  }).then(({ answer }) => answer)
}

function valuesOf<N, T>(answers: Answers<N, T>['answers']): readonly T[] {
  return answers.map(([, value]) => value)
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** True means that the values are as close as those of honest providers that are some blocks apart. */
function areClose(values: readonly bigint[]): boolean {
  const sorted = values.toSorted(ascending)
  return (sorted.at(-1) ?? 0n) <= 2n * (sorted[0] ?? 0n) + 2n
}

type Verdict = { readonly kind: string }

/**
 * A broadcast goes to every provider: one that accepts everything must not hide that the others refuse. It is accepted if a quorum accepts
 * it, or if nobody refuses it. Else the refusal counts whose kind comes first in `refusals`.
 */
export function acceptedByQuorum<T extends Verdict>(refusals: readonly Exclude<T['kind'], 'accepted'>[]): Rule<T> {
  return ({ pool, size }, { what, ask }) => {
    const acceptedIn = (verdicts: readonly T[]) => verdicts.filter(({ kind }) => kind === 'accepted')
    return poll(pool, {
      enough: size,
      everyone: true,
      ask,
      decide({ answers }) {
        const accepted = acceptedIn(answers.map(([, verdict]) => verdict))
        return accepted.length >= size ? accepted[0] : undefined
      },
      otherwise({ answers, failures }) {
        const verdicts = answers.map(([, verdict]) => verdict)
        const [accepted] = acceptedIn(verdicts)
        const [refusal] = refusals.flatMap((kind) => verdicts.find((verdict) => verdict.kind === kind) ?? [])
        // A provider that fails, e.g. by a timeout, may have forwarded it before.
        if (refusal !== undefined) return { ...refusal, isPartlyAccepted: accepted !== undefined || failures.length > 0 }
        if (accepted === undefined) throw noAgreement(what, 1, [], failures)
        return accepted
      },
    })
  }
}

/** What `broadcastToAll` must know of the refusals that the nodes of a family throw. */
export type Refusals<R extends Refusal> = {
  readonly is: (error: unknown) => error is R
  readonly kindOf: (refusal: R) => unknown
  /** Makes the refusal that says that the transaction may be mined, and is public. */
  readonly partial: (refusal: R) => R
}

/**
 * A broadcast goes to every provider, as in `acceptedByQuorum`, where nodes throw their refusals. The most frequent kind of refusal is
 * thrown, in the words of the first provider that gave it. It is partial if a provider accepted, or failed and may have forwarded it.
 */
export async function broadcastToAll<N, R extends Refusal>(
  { pool, size }: Quorum<N>,
  { what, ask }: Question<N, void>,
  refusals: Refusals<R>,
): Promise<void> {
  await poll<N, void, true>(pool, {
    enough: size,
    everyone: true,
    ask,
    decide: () => true,
    otherwise({ answers, failures }) {
      const refusal = mostFrequent(failures.map(({ error }) => error).filter(refusals.is), refusals.kindOf)
      const isFinal = answers.length === 0 && isRefusedByAll(failures)
      if (refusal !== undefined) throw isFinal ? refusal : refusals.partial(refusal)
      if (answers.length === 0) throw noAgreement(what, 1, [], failures)
      return true
    },
  })
}

/** Returns the first item of the most frequent kind. */
export function mostFrequent<T>(items: readonly T[], kindOf: (item: T) => unknown): T | undefined {
  const count = (item: T) => items.filter((other) => kindOf(other) === kindOf(item)).length
  return items.toSorted((a, b) => count(b) - count(a))[0]
}
