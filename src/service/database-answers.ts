/** Whether the database answers within the timeout. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceContext } from './context.ts'

const DATABASE_WAIT_MS = 2000

export async function databaseAnswers({ db, log }: ServiceContext): Promise<boolean> {
  const asked = db
    .selectFrom('migrations')
    .select('name')
    .limit(1)
    .execute()
    .then(
      () => true,
      (error: unknown) => {
        log.warn({ err: error }, 'the database does not answer')
        return false
      },
    )
  return Promise.race([asked, sleep(DATABASE_WAIT_MS, false, { ref: false })])
}
