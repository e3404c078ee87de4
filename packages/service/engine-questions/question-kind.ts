/** A kind of question is one thing that the API leaves to an engine of the same database, because only an engine has the key for it. */
import type { Column } from '@tandem/party/store/database/columns.ts'

/** Questions and answers are JSON. A bigint is written as decimal text. */
export type QuestionKind<Asked, Answered> = {
  /** Completes "an API asks an engine to …", and tells the kinds apart. */
  readonly name: string
  readonly asked: Column<Asked>
  readonly answered: Column<Answered>
  /** All engines together work on one question about a subject at a time. */
  readonly subjectOf: (asked: Asked) => string
  /** The error for the caller of the API if no engine answers within these seconds. */
  readonly unanswered: (seconds: number) => string
}
