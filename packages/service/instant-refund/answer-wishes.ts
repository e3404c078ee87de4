/** An engine signs the instant refunds that processes of the API ask for by signals. One engine of the database answers each question. */
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { withLease } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { openSignals } from '@tandem/party/store/database/signals.ts'
import type { Sealer } from '@tandem/party/store/orders/sealed-values.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import { type Answer, type Question, readQuestion, sealOf, writeAnswer } from './refund-signals.ts'
import type { SignRefunds } from './refund-wish.ts'

/** PostgreSQL refuses signals of 8000 bytes. */
const MAX_MESSAGE = 1_000
const DRAIN_MS = 2_000
const MAX_REMEMBERED = 1_000

export type AnswerContext = {
  readonly db: Database
  readonly sealer: Pick<Sealer, 'authenticate'>
  readonly log: Logger
  readonly sign: SignRefunds
}

export function answerWishes({ db, sealer, log, sign }: AnswerContext): { stop(): Promise<void> } {
  /** Questions are repeated until they are answered, and each is worked on once. */
  const answers = new Map<string, Promise<Answer | null>>()
  const signals = openSignals(db, (signal) => {
    const asked = readQuestion(signal)
    if (asked !== null) void answerOnce(asked)
  })

  async function answerOnce(asked: Question): Promise<void> {
    const { id, orderId } = asked
    if (sealOf(sealer, asked) !== asked.seal) {
      log.error({ order: orderId }, 'somebody without the seal key asked for an instant refund: find out who can connect to the database')
      return
    }
    if (asked.untilMs < Date.now()) {
      log.warn({ order: orderId }, 'an API asked for an instant refund too late: the clocks of both machines may differ')
      return
    }
    const answer = answers.get(id) ?? work(asked)
    answers.set(id, answer)
    // A map keeps the order of insertion.
    for (const oldest of answers.keys()) {
      if (answers.size <= MAX_REMEMBERED) break
      answers.delete(oldest)
    }
    const answered = await answer
    // Another engine answers, unless it dies: then a repeated question finds its lease free.
    if (answered === null) answers.delete(id)
    else signals.send(writeAnswer(answered))
  }

  async function work({ id, orderId, from, to, isTokenHolder }: Question): Promise<Answer | null> {
    try {
      // By the order: an API that waits no longer may ask again while the first signing goes on.
      return await withLease(db, `refund wish of ${orderId}`, 0, async () => {
        await sign({ orderId, from, to, isTokenHolder })
        return { id, error: null }
      })
    } catch (error) {
      return { id, error: describe(orderId, error) }
    }
  }

  /** Other texts than those of a `TandemError` may contain the URL of a node with the operator's API key. */
  function describe(orderId: string, error: unknown): NonNullable<Answer['error']> {
    if (error instanceof TandemError)
      return { code: error.code, message: error.message.slice(0, MAX_MESSAGE), retryAfterSeconds: error.retryAfterSeconds }
    log.error({ order: orderId, err: error }, 'an instant refund was not signed')
    if (error instanceof ChainFailure)
      return { code: 'chain_unavailable', message: 'a chain could not be reached; try again', retryAfterSeconds: null }
    return { code: 'internal', message: 'internal error; the log of the engine says more', retryAfterSeconds: null }
  }

  return {
    async stop() {
      await Promise.race([Promise.all(answers.values()), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())])
      await signals.close()
    },
  }
}
