/**
 * The messages between the API and the engines of one database. They are signals, which everyone who can connect to the database can send,
 * so each has a seal, which only a holder of the seal key can make. Signals may be lost: questions are repeated, and a wait has an end.
 */
import { type Column, number, shape, text } from '@tandem/party/store/database/columns.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { openSignals } from '@tandem/party/store/database/signals.ts'
import type { Sealer } from '@tandem/party/store/orders/sealed-values.ts'
import type { Logger } from '@tandem/runtime/log.ts'

export type Question = {
  readonly id: string
  /** In Unix milliseconds: nobody waits for an answer any more, so a recorded question cannot be repeated later. */
  readonly untilMs: number
  /** The name of a `QuestionKind`. */
  readonly kind: string
  readonly asked: unknown
}

/** An answer may be longer than one message. */
export type AnswerPart = {
  readonly questionId: string
  /** Two engines may answer one question. Their parts must not be mixed. */
  readonly answerId: string
  readonly part: number
  readonly parts: number
  readonly piece: string
}

type Message = { readonly question: Question; readonly answer: AnswerPart }

const columns: { readonly [Type in keyof Message]: Column<Message[Type]> } = {
  question: shape<Question>({ id: text, untilMs: number, kind: text, asked: (value) => value }),
  answer: shape<AnswerPart>({ questionId: text, answerId: text, part: number, parts: number, piece: text }),
}

/** PostgreSQL refuses signals of 8000 bytes. One that is refused breaks the connection, and others with it. */
const MAX_BYTES = 7_999

export type SealedSignals = {
  send<Type extends keyof Message>(type: Type, message: Message[Type]): void
  close(): Promise<void>
}

export type SignalContext = {
  readonly db: Database
  readonly sealer: Pick<Sealer, 'authenticate'>
  readonly log: Logger
}

/** `onMessage` gets the messages of this type whose seal is right. */
export function openSealedSignals<Type extends keyof Message>(
  { db, sealer, log }: SignalContext,
  type: Type,
  onMessage: (message: Message[Type]) => void,
): SealedSignals {
  const signals = openSignals(db, (signal) => {
    const [of, seal, ...rest] = signal.split(' ')
    if (of !== prefixOf(type)) return
    const body = rest.join(' ')
    if (sealOf(sealer, type, body) !== seal) {
      log.error(`somebody without the seal key sent a signal like an ${prefixOf(type)}: find out who can connect to the database`)
      return
    }
    const message = parse(columns[type], body)
    if (message !== null) onMessage(message)
  })
  return {
    send(kind, message) {
      const body = toJson(message)
      const signal = `${prefixOf(kind)} ${sealOf(sealer, kind, body)} ${body}`
      if (Buffer.byteLength(signal) > MAX_BYTES) throw new Error(`a signal of ${Buffer.byteLength(signal)} bytes is too long`)
      signals.send(signal)
    },
    close: signals.close,
  }
}

/** The seal covers every byte of the body, and says what the body is: no seal of a row is the seal of a message. */
function sealOf(sealer: Pick<Sealer, 'authenticate'>, type: keyof Message, body: string): string {
  return sealer.authenticate(JSON.stringify([prefixOf(type), body]))
}

const prefixOf = (type: keyof Message) => `engine-${type}`

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each))
}

/** Null for what another version wrote. */
export function parse<T>(column: Column<T>, json: string): T | null {
  try {
    return column(JSON.parse(json))
  } catch {
    return null
  }
}
