/** The last warnings and errors of this process, for the operator page. Bounded in number and in length; the log has all of them in full. */
import type { Problem } from '@tandem/runtime/log.ts'

export type RecentProblem = {
  readonly at: Date
  readonly level: Problem['level']
  readonly message: string
  /** One line: `chain=bitcoin_regtest err="…"`. */
  readonly details: string
  readonly order: string | null
  /** How often the same was logged in a row. */
  readonly times: number
}

export interface RecentProblems {
  note(problem: Problem): void
  /** Newest first. */
  list(): readonly RecentProblem[]
  /** Since the start of the process. */
  readonly counts: Readonly<Record<Problem['level'], number>>
}

const MOST = 200
const MAX_DETAILS = 400
const MAX_MESSAGE = 200
/** Fields that say nothing to an operator. */
const LEFT_OUT: ReadonlySet<string> = new Set(['party', 'pid', 'name', 'order'])

export function createRecentProblems(): RecentProblems {
  const recent: RecentProblem[] = []
  const counts = { warn: 0, error: 0, fatal: 0 }
  return {
    counts,
    note({ at, level, message, fields }) {
      counts[level] += 1
      const problem = { at, level, message: message.slice(0, MAX_MESSAGE), details: describe(fields), order: orderOf(fields), times: 1 }
      const last = recent.at(-1)
      if (last !== undefined && isSame(last, problem)) recent[recent.length - 1] = { ...problem, times: last.times + 1 }
      else recent.push(problem)
      if (recent.length > MOST) recent.shift()
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
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined)
    .map(([name, value]) => `${name}=${textOf(value)}`)
  return parts.join(' ').slice(0, MAX_DETAILS)
}

/** Of an error its name and message: stacks are in the log. */
function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'stack' in value && 'message' in value)
    return JSON.stringify(`${'type' in value ? String(value.type) : 'Error'}: ${String(value.message)}`)
  return typeof value === 'string' && /^\S+$/.test(value) ? value : (JSON.stringify(value) ?? '')
}
