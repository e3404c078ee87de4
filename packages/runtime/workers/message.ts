/** The pool and a worker thread exchange these messages. */
import type { PlainError } from './job-error.ts'

/** A job is a function in the table `jobs` that a module exports. */
export type JobMessage = { readonly module: string; readonly name: string; readonly args: readonly unknown[] }

export type AnswerMessage = { readonly value: unknown } | { readonly error: PlainError }
