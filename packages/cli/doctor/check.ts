/** A check of the doctor returns findings. */
import type { DoctorContext } from './doctor-context.ts'

export type Level = 'ok' | 'warn' | 'fail'

export type Finding = {
  readonly level: Level
  readonly about: string
  readonly text: string
  /** The advice says how to fix it. Warnings and failures have one. */
  readonly advice?: string
}

export type Check = {
  readonly name: string
  run(context: DoctorContext): Promise<readonly Finding[]>
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text })
export const warn = (about: string, text: string, advice: string): Finding => ({ level: 'warn', about, text, advice })
export const fail = (about: string, text: string, advice: string): Finding => ({ level: 'fail', about, text, advice })

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error.cause instanceof Error ? `${error.message} (${reasonOf(error.cause)})` : error.message
}
