/** A process without an engine asks an engine of the same database for what needs a key. */
import { randomUUID } from 'node:crypto'
import { known } from '@tandem/party/store/database/columns.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Answer, answer } from './answer.ts'
import { joinAnswer } from './answer-text.ts'
import type { QuestionKind } from './question-kind.ts'
import { type AnswerPart, openSealedSignals, parse, type SignalContext } from './sealed-signals.ts'

/** A solver may need ten seconds for its signature of an instant refund. */
const WAIT_MS = 20_000
const REPEAT_MS = 1_000

export type EngineQuestions = {
  /** Rejects with an error that the caller of the API may see: that of the engine, or that none answers in time. */
  ask<Asked, Answered>(kind: QuestionKind<Asked, Answered>, asked: Asked): Promise<Answered>
  stop(): Promise<void>
}

export function openEngineQuestions(context: SignalContext, waitMs = WAIT_MS): EngineQuestions {
  const waiting = new Map<string, { onPart(part: AnswerPart): void; end(): void }>()
  const signals = openSealedSignals(context, 'answer', (part) => waiting.get(part.questionId)?.onPart(part))

  /** Resolves to null if no engine answers in time. An answer in another form than `read` expects counts as none. */
  async function untilAnswered<T>(id: string, send: () => void, read: (answered: Answer) => T | null): Promise<T | null> {
    send()
    const repeat = setInterval(send, REPEAT_MS)
    const answered = await new Promise<T | null>((resolve) => {
      const join = joinAnswer()
      const limit = setTimeout(() => resolve(null), waitMs)
      const settle = (result: T | null) => {
        clearTimeout(limit)
        resolve(result)
      }
      waiting.set(id, {
        onPart(part) {
          const text = join(part)
          const whole = text === null ? null : parse(answer, text)
          const result = whole === null ? null : read(whole)
          if (result !== null) settle(result)
        },
        end: () => settle(null),
      })
    })
    waiting.delete(id)
    clearInterval(repeat)
    return answered
  }

  return {
    async ask<Asked, Answered>(kind: QuestionKind<Asked, Answered>, asked: Asked) {
      const question = { id: randomUUID(), untilMs: Date.now() + waitMs, kind: kind.name, asked }
      const readResult = known((value) => ({ result: kind.answered(value) }))
      const answered = await untilAnswered(
        question.id,
        () => signals.send('question', question),
        ({ error, result }) => (error === null ? readResult(result) : { error }),
      )
      if (answered === null) throw new TandemError('chain_unavailable', kind.unanswered(waitMs / 1000))
      if ('result' in answered) return answered.result
      const { code, message, retryAfterSeconds } = answered.error
      throw new TandemError(code, message, { ...(retryAfterSeconds !== null && { retryAfterSeconds }) })
    },
    async stop() {
      for (const { end } of waiting.values()) end()
      await signals.close()
    },
  }
}
