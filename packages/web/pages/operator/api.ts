/** The requests of the operator page: the session, repeated reads, and the few changes. */
import { type Signal, signal } from '@preact/signals'
import type { OperatorSessionRecord } from '@tandem/protocol/wire/operator.ts'
import { ApiError, errorOf } from '@tandem/sdk'
import { useEffect, useState } from 'preact/hooks'
import { type Explanation, explain } from '../../shared/explain.ts'

/** The operator's interface names no assets in its errors. */
export const explainError = (error: unknown): Explanation => explain(error, { symbol: () => '', amount: () => '', chain: (id) => id })

/** It is null if logged out, undefined while it is not known yet. */
export const session = signal<OperatorSessionRecord | null | undefined>(undefined)
/** The last read got no answer. */
export const isOffline = signal(false)

async function call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
  const answer = await fetch(`/operator/api/${path}`, {
    method,
    headers: {
      ...(method === 'POST' && { 'content-type': 'application/json', 'x-csrf-token': session.value?.csrf_token ?? '' }),
    },
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  })
  const { result, error, code = 'internal' } = (await answer.json()) as { result: T; error: string | null; code?: ApiError['code'] }
  if (answer.ok) return result
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  throw errorOf(code, error ?? '', { httpStatus: answer.status, retryAfterSeconds: Number.isFinite(seconds) ? seconds : null })
}

export async function readSession(): Promise<void> {
  try {
    session.value = await call('GET', 'session')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    session.value = null
  }
}

export async function logIn(token: string): Promise<void> {
  session.value = await call('POST', 'login', { token })
}

export async function logOut(): Promise<void> {
  await call('POST', 'logout')
  session.value = null
}

export const halt = (scope: string, reason: string): Promise<null> => call('POST', 'halts', { scope, reason })
export const resume = (scope: string): Promise<null> => call('POST', 'resume', { scope })
const read = <T>(path: string): Promise<T> => call('GET', path)

export type Reading<T> = { readonly data: T | null; readonly refused: Explanation | null }

/** Polls while the page is visible, and at once when it becomes visible. The last result stays while there is no answer. */
export function useReading<T>(path: string, everyMs: number): Signal<Reading<T>> {
  const [reading] = useState(() => signal<Reading<T>>({ data: null, refused: null }))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isEnded = false
    async function next(): Promise<void> {
      clearTimeout(timer)
      if (document.visibilityState === 'visible') await readOnce()
      if (!isEnded) timer = setTimeout(() => void next(), everyMs)
    }
    async function readOnce(): Promise<void> {
      try {
        const data = await read<T>(path)
        isOffline.value = false
        if (!isEnded) reading.value = { data, refused: null }
      } catch (error) {
        if (error instanceof ApiError && error.httpStatus === 401) session.value = null
        else if (error instanceof ApiError && error.httpStatus < 500) reading.value = { data: null, refused: explainError(error) }
        else isOffline.value = true
      }
    }
    const onVisible = () => void next()
    document.addEventListener('visibilitychange', onVisible)
    void next()
    return () => {
      isEnded = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [path])
  return reading
}
