/** A process without an engine has instant refunds signed by an engine of the same database. */
import { randomUUID } from 'node:crypto'
import type { Database } from '@tandem/party/store/database/database.ts'
import { openSignals } from '@tandem/party/store/database/signals.ts'
import type { Sealer } from '@tandem/party/store/orders/sealed-values.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Answer, readAnswer, sealOf, writeQuestion } from './refund-signals.ts'
import type { SignRefunds } from './refund-wish.ts'

/** A solver may need ten seconds for its signature. */
const WAIT_MS = 20_000
const REPEAT_MS = 1_000

export type EngineSigner = { readonly signRefunds: SignRefunds; stop(): Promise<void> }

export function openEngineSigner({ db, sealer }: { readonly db: Database; readonly sealer: Sealer }, waitMs = WAIT_MS): EngineSigner {
  const waiting = new Map<string, (answer: Answer | null) => void>()
  const signals = openSignals(db, (signal) => {
    const answered = readAnswer(signal)
    if (answered !== null) waiting.get(answered.id)?.(answered)
  })

  /** Resolves to null if no engine answers in time. */
  async function ask(id: string, message: string): Promise<Answer | null> {
    const repeat = setInterval(() => signals.send(message), REPEAT_MS)
    const limit = setTimeout(() => waiting.get(id)?.(null), waitMs)
    signals.send(message)
    const answered = await new Promise<Answer | null>((resolve) => {
      waiting.set(id, resolve)
    })
    waiting.delete(id)
    clearInterval(repeat)
    clearTimeout(limit)
    return answered
  }

  return {
    async signRefunds(wish) {
      const asked = { id: randomUUID(), untilMs: Date.now() + waitMs, ...wish }
      const answered = await ask(asked.id, writeQuestion({ ...asked, seal: sealOf(sealer, asked) }))
      if (answered === null)
        throw new TandemError(
          'chain_unavailable',
          `no engine signed the refund within ${waitMs / 1000} s; it may still be signed, and repeating this call joins it`,
        )
      if (answered.error === null) return
      const { code, message, retryAfterSeconds } = answered.error
      throw new TandemError(code, message, { ...(retryAfterSeconds !== null && { retryAfterSeconds }) })
    },
    async stop() {
      for (const end of waiting.values()) end(null)
      await signals.close()
    },
  }
}
