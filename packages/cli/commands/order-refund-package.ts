/** The refund package of an order, from the operator's database and vault key: for a user who has lost theirs. */

import type { RefundPackage } from '@tandem/chain-kit/port/abilities/rescue.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { ServiceConfig } from '@tandem/party/config/schema.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { createNetwork } from '@tandem/party/engine/network.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { findOrder } from '@tandem/party/store/orders/orders.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { assertSealed } from '@tandem/party/store/orders/swap-seals.ts'
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
