/** Asks the HTTP APIs of several Tron nodes one question, and believes what enough of them say. */
import { setMaxListeners } from 'node:events'
import { callHttp, HttpFailure } from '../../../http-client.ts'
import { ChainFailure } from '../../port/failure.ts'

export type Answer = Readonly<Record<string, unknown>>

export interface WalletNodes {
  readonly urls: readonly string[]
  /** One node alone. */
  ask(url: string, path: string, body: object): Promise<Answer>
  /**
   * What `quorum` nodes say alike, each in its own answer. `read` throws for what is no answer to the question; `keyOf` is equal for equal ones.
   * `differing`: what to make of at least `quorum` answers of which not enough are equal, for what changes from one moment to the next.
   */
  agree<T>(path: string, body: object, question: Question<T>): Promise<readonly T[]>
  close(): void
}

export type Question<T> = {
  readonly read: (answer: Answer) => T
  readonly keyOf: (value: T) => string
  readonly differing?: (values: readonly T[]) => T
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const HTTP_OK = 200
const JSON_HEADERS = { 'content-type': 'application/json' } as const

export function createWalletNodes(urls: readonly string[], quorum: number): WalletNodes {
  const closing = new AbortController()
  // One for each request that is running.
  setMaxListeners(0, closing.signal)

  async function ask(url: string, path: string, body: object): Promise<Answer> {
    const unreachable = (why: string) => new ChainFailure('unreachable', `${path}: ${why}`)
    try {
      const { status, text } = await callHttp({
        url: `${url.replace(/\/+$/, '')}/wallet/${path}`,
        headers: JSON_HEADERS,
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        signal: closing.signal,
      })
      // Nodes answer their own errors with 200 too; anything else comes from what stands in front of them.
      if (status !== HTTP_OK) throw unreachable(`HTTP ${status}`)
      const answer = parseObject(text)
      if (answer === null) throw unreachable('no JSON object')
      if (typeof answer.Error === 'string') throw unreachable(answer.Error.slice(0, 300))
      return answer
    } catch (error) {
      if (error instanceof HttpFailure) throw unreachable(closing.signal.aborted ? 'the connection was closed' : error.message)
      throw error
    }
  }

  return {
    urls,
    ask,
    agree<T>(path: string, body: object, { read, keyOf, differing }: Question<T>): Promise<readonly T[]> {
      return new Promise((resolve, reject) => {
        const alike = new Map<string, T[]>()
        const given: T[] = []
        const failures: unknown[] = []
        let open = urls.length

        const conclude = () => {
          open -= 1
          const enough = [...alike.values()].find((values) => values.length >= quorum)
          if (enough !== undefined) resolve(enough)
          else if (open > 0) return
          else if (differing !== undefined && given.length >= quorum) resolve([differing(given)])
          else reject(undecided(path, quorum, given.length, failures))
        }
        const hear = (value: T) => {
          given.push(value)
          const key = keyOf(value)
          alike.set(key, [...(alike.get(key) ?? []), value])
        }
        for (const url of urls) {
          ask(url, path, body)
            .then(read)
            .then(hear, (error: unknown) => failures.push(error))
            .then(conclude, reject)
        }
        if (urls.length === 0) reject(new ChainFailure('unreachable', `${path}: there is no node`))
      })
    },
    close: () => closing.abort(),
  }
}

/** One node's trouble is told as it is: with one node there is nothing else to say. */
function undecided(path: string, quorum: number, answered: number, failures: readonly unknown[]): unknown {
  const words = failures.map((error) => (error instanceof Error ? error.message : String(error)))
  const [first] = failures
  if (answered === 0 && failures.length === 1 && first instanceof ChainFailure) return first
  return new ChainFailure(
    'unreachable',
    `${path}: ${answered} nodes answered, and ${quorum} must say the same${words.length > 0 ? `; ${words.join('; ')}` : ''}`,
  )
}

function parseObject(text: string): Answer | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? (answer as Answer) : null
  } catch {
    return null
  }
}
