/** One node over several providers. A table gives for each method the rule by which answers must agree. */
import type { Question, Quorum, Rule } from './quorum.ts'

type Method<A extends readonly unknown[], T> = (...args: A) => Promise<T>

/** From the arguments of a call: a name of the question for error texts, and the rule. */
type Row<F> = F extends Method<infer A, infer T> ? (...args: A) => readonly [what: string, rule: Rule<T>] : never

export type AgreementTable<N, M extends keyof N> = { readonly [K in M]: Row<N[K]> }

export function createQuorumNode<N, M extends keyof N>(quorum: Quorum<N>, table: AgreementTable<N, M>): Pick<N, M> {
  const methods = Object.entries<Row<Method<unknown[], unknown>>>(table).map(([name, row]) => [
    name,
    (...args: unknown[]) => {
      const [what, rule] = row(...args)
      const question: Question<N, unknown> = { what, ask: (node) => (node[name as M] as Method<unknown[], unknown>)(...args) }
      return rule(quorum, question)
    },
  ])
  return Object.fromEntries(methods)
}
