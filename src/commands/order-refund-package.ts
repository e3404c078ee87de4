/** The refund package of an order, from the operator's database and vault key: for a user who has lost theirs. */

import type { RefundPackage } from '../chains/port/abilities/rescue.ts'
import { loadConfig } from '../config/load-config.ts'
import { networkSettings } from '../config/network-settings.ts'
import { ServiceConfig } from '../config/schema.ts'
import { clientFor } from '../engine/facts.ts'
import { createNetwork } from '../engine/network.ts'
import { openDatabase } from '../store/database/database.ts'
import { findOrder } from '../store/orders/orders.ts'
import { createVault } from '../store/orders/sealed-values.ts'
import { assertSealed } from '../store/orders/swap-seals.ts'
import { configPath } from './config-path.ts'

export async function readRefundPackage(orderId: string, config: string | undefined): Promise<RefundPackage> {
  const loaded = await loadConfig(ServiceConfig, configPath(config))
  const vault = createVault(await loaded.readSecret(loaded.config.vault_key))
  const network = await createNetwork(await networkSettings(loaded))
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  try {
    const stored = await findOrder(db, orderId)
    if (stored === null) throw new Error(`there is no order ${orderId}`)
    assertSealed(vault, stored)
    const { chain, terms, userAddress } = stored.order.source
    const { orderKeys } = clientFor(network.clients, chain)
    if (orderKeys === undefined) throw new Error(`order ${orderId} has no refund package: on ${chain} users refund with their own wallets`)
    return orderKeys.refundPackage(terms, await vault.get(db, orderId, 'source-key'), userAddress)
  } finally {
    await network.close()
    await db.destroy()
  }
}
