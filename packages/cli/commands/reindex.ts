/** `tandem reindex` rebuilds the lists behind GET /orders, /volume and /fees from orders and events. */
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { createNetwork } from '@tandem/party/engine/network.ts'
import { rebuildOrderList } from '@tandem/party/engine/order-list.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { countAppOrders } from '@tandem/party/store/order-list/order-list.ts'
import { configPath } from './config-path.ts'
import type { Terminal } from './terminal.ts'

/** The command is safe while services run on the same database. */
export async function reindexCommand(options: { readonly config?: string }, terminal: Terminal): Promise<void> {
  const loaded = await loadConfig(ServiceConfig, configPath(options.config))
  const network = await createNetwork(await networkSettings(loaded))
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    const all = await countAppOrders(db)
    let reported = 0
    await rebuildOrderList(db, network.registry, BigInt(Math.floor(Date.now() / 1000)), {
      onProgress(done) {
        const percent = Math.min(100, Math.floor((done * 100) / Math.max(all, 1)))
        if (percent < reported + PERCENT_STEP && done < all) return
        reported = percent
        terminal.note(`${done} of ${all} orders (${percent} %)`)
      },
    })
    terminal.note(`The lists are rebuilt from ${all} orders.`)
  } finally {
    await network.close()
    await db.destroy()
  }
}

const PERCENT_STEP = 5
