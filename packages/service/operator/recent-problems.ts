/** The last warnings and errors of this process, for the operator page. Number and length are bounded; the log has all of them in full. */
import type { Problem } from '@tandem/runtime/log.ts'

export type RecentProblem = {
  readonly at: Date
  readonly level: Problem['level']
  readonly message: string
  /** The details are one line such as `chain=bitcoin_regtest err="…"`. */
  readonly details: string
  readonly order: string | null
  readonly times: number
}

export interface RecentProblems {
  add(problem: Problem): void
  list(): readonly RecentProblem[]
  readonly counts: Readonly<Record<Problem['level'], number>>
}

const MAX_PROBLEMS = 200
const MAX_DETAILS_LENGTH = 400
const MAX_MESSAGE_LENGTH = 200
/** These fields mean nothing to an operator. */
const OMITTED: ReadonlySet<string> = new Set(['party', 'pid', 'name', 'order'])

export function createRecentProblems(): RecentProblems {
  const recent: RecentProblem[] = []
  const counts = { warn: 0, error: 0, fatal: 0 }
  return {
    counts,
    add({ at, level, message, fields }) {
      counts[level] += 1
      const problem = {
        at,
        level,
        message: message.slice(0, MAX_MESSAGE_LENGTH),
        details: describe(fields),
        order: orderOf(fields),
        times: 1,
      }
      const last = recent.at(-1)
      if (last !== undefined && isSame(last, problem)) recent[recent.length - 1] = { ...problem, times: last.times + 1 }
      else recent.push(problem)
      if (recent.length > MAX_PROBLEMS) recent.shift()
    },
    list: () => recent.toReversed(),
  }
}

function isSame(one: RecentProblem, other: RecentProblem): boolean {
  return one.message === other.message && one.details === other.details && one.order === other.order && one.level === other.level
}

function orderOf({ order }: Problem['fields']): string | null {
  return typeof order === 'string' && /^[0-9a-f]{64}$/.test(order) ? order : null
}

function describe(fields: Problem['fields']): string {
  const parts = Object.entries(fields)
    .filter(([name, value]) => !OMITTED.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${textOf(value)}`)
  return parts.join(' ').slice(0, MAX_DETAILS_LENGTH)
}

/** An error becomes its name and message. Its stack is in the log. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value)
    return JSON.stringify(`${'type' in value ? String(value.type) : 'Error'}: ${String(value.message)}`)
  return typeof value === 'string' && /^\S+$/.test(value) ? value : (JSON.stringify(value) ?? '')
}
