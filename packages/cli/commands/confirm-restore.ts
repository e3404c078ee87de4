/** `tandem confirm-restore` lets older orders be paid again after a database was restored from a backup. */
import { loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { confirmRollbacks, countOrdersUpTo, readReleaseStatus } from '@tandem/party/store/database/rollbacks.ts'
import { configPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

export async function confirmRestoreCommand(
  options: { readonly config?: string; readonly yes?: boolean },
  terminal: Terminal,
): Promise<void> {
  const { given, readSecret } = await loadPartyConfig(configPath(options.config), 'database')
  const db = await openDatabase(await readSecret(given.config.database_url))
  try {
    const { hold } = await readReleaseStatus(db, [])
    if (hold === null) {
      terminal.note('Nothing waits for a confirmation.')
      return
    }
    const orders = await countOrdersUpTo(db, hold.newestOrder)
    terminal.note(`Rollback: ${hold.reason}. ${orders} open orders are older than it.`)
    if (options.yes !== true)
      throw new Error(
        'nothing is changed. A lock or an early refund of these orders may have been signed already, and a second signature could cost their whole amount: wait until their timelocks have ended, or make sure of each; then run this again with --yes',
      )
    await confirmRollbacks(db)
    terminal.note(`Confirmed: the ${given.party} signs for older orders again within seconds.`)
  } finally {
    await db.destroy()
  }
}
