/** A check of the doctor and its findings. */
import type { DoctorContext } from './doctor-context.ts'

export type Level = 'ok' | 'warn' | 'fail'

export type Finding = {
  readonly level: Level
  /** A chain, an asset, a setting, … */
  readonly about: string
  readonly text: string
  /** How to fix it; present for warnings and failures. */
  readonly advice?: string
}

export type Check = {
  readonly name: string
  run(context: DoctorContext): Promise<readonly Finding[]>
}

export const ok = (about: string, text: string): Finding => ({ level: 'ok', about, text })
export const warn = (about: string, text: string, advice: string): Finding => ({ level: 'warn', about, text, advice })
export const fail = (about: string, text: string, advice: string): Finding => ({ level: 'fail', about, text, advice })

/** The message, with that of the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error.cause instanceof Error ? `${error.message} (${reasonOf(error.cause)})` : error.message
}
