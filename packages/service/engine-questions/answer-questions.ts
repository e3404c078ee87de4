/** An engine answers the questions of processes of the API. One engine of the database answers each question. */
import { randomUUID } from 'node:crypto'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { withLease } from '@tandem/party/store/actions/leases.ts'
import { known } from '@tandem/party/store/database/columns.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Answer, AnswerError } from './answer.ts'
import { splitAnswer } from './answer-text.ts'
import type { QuestionKind } from './question-kind.ts'
import { type AnswerPart, openSealedSignals, type Question, type SignalContext, toJson } from './sealed-signals.ts'

const MAX_ERROR = 1_000
const DRAIN_MS = 2_000
const MAX_REMEMBERED = 1_000

/** What an engine does about the questions of one kind. */
export type Answering = { readonly kind: string } & (
  | {
      /** Returns null for a question that another version asked. */
      prepare(asked: unknown): Work | null
    }
  /** This engine leaves them to other engines, for this reason. */
  | { readonly whyNot: string }
)

type Work = { readonly subject: string; run(): Promise<unknown> }

export function answering<Asked, Answered>(
  { name, asked, subjectOf }: QuestionKind<Asked, Answered>,
  work: (asked: Asked) => Promise<Answered>,
): Answering {
  const read = known((value) => ({ value: asked(value) }))
  return {
    kind: name,
    prepare(given) {
      const found = read(given)
      return found === null ? null : { subject: subjectOf(found.value), run: () => work(found.value) }
    },
  }
}

export function answerQuestions(context: SignalContext, kinds: readonly Answering[]): { stop(): Promise<void> } {
  const { db, log } = context
  /** Questions are repeated until they are answered, and each is worked on once. */
  const answers = new Map<string, { readonly untilMs: number; readonly parts: Promise<readonly AnswerPart[] | null> }>()
  const warned = new Set<string>()
  const signals = openSealedSignals(context, 'question', (question) => void answerOnce(question))

  async function answerOnce({ id, untilMs, kind: name, asked }: Question): Promise<void> {
    if (untilMs < Date.now()) {
      log.warn({ kind: name }, `an API asked an engine too late to ${name}: the clocks of both machines may differ`)
      return
    }
    const kind = kinds.find((one) => one.kind === name)
    if (kind === undefined) return
    if ('whyNot' in kind) {
      if (!warned.has(name)) log.warn(`an API asks to ${name}, which this engine leaves to others: ${kind.whyNot}`)
      warned.add(name)
      return
    }
    const work = kind.prepare(asked)
    if (work === null) return
    forgetOld()
    const parts = answers.get(id)?.parts ?? answerTo(id, name, work)
    answers.set(id, { untilMs, parts })
    const answered = await parts
    // Another engine answers, unless it dies: then a repeated question finds its lease free.
    if (answered === null) answers.delete(id)
    else for (const part of answered) signals.send('answer', part)
  }

  /** A map keeps the order of insertion. */
  function forgetOld(): void {
    for (const [oldest, { untilMs }] of answers) {
      if (answers.size < MAX_REMEMBERED && untilMs >= Date.now()) break
      answers.delete(oldest)
    }
  }

  async function answerTo(id: string, kind: string, work: Work): Promise<readonly AnswerPart[] | null> {
    const answered = await answer(kind, work)
    return answered === null ? null : splitAnswer(id, randomUUID(), toJson(answered))
  }

  /** By the subject: an API that waits no longer may ask again while the first work goes on. */
  async function answer(kind: string, { subject, run }: Work): Promise<Answer | null> {
    try {
      return await withLease(db, `${kind}: ${subject}`, 0, async () => ({ error: null, result: await run() }))
    } catch (error) {
      return { error: describe(kind, subject, error), result: null }
    }
  }

  /** Other texts than those of a `TandemError` may contain the URL of a node with the operator's API key. */
  function describe(kind: string, subject: string, error: unknown): AnswerError {
    if (error instanceof TandemError)
      return { code: error.code, message: error.message.slice(0, MAX_ERROR), retryAfterSeconds: error.retryAfterSeconds }
    log.error({ subject, err: error }, `this engine failed to ${kind}`)
    if (error instanceof ChainFailure)
      return { code: 'chain_unavailable', message: 'a chain could not be reached; try again', retryAfterSeconds: null }
    return { code: 'internal', message: 'internal error; the log of the engine says more', retryAfterSeconds: null }
  }

  return {
    async stop() {
      const working = [...answers.values()].map(({ parts }) => parts)
      await Promise.race([Promise.all(working), new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())])
      await signals.close()
    },
  }
}
