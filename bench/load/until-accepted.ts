/** For calls that a bench does not measure. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../demo/client/api-client.ts'

const RETRY_MS = 500

/** Repeats what an overloaded service refuses. */
export async function untilAccepted<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ApiError) || error.httpStatus !== 503) throw error
    }
    await sleep(RETRY_MS)
  }
}
