/** The swap page starts: settings, then the catalog, the form, wallets, and every swap of this browser that has not ended. */
import { render } from 'preact'
import { App } from './app.tsx'
import { keepBalance } from './balance.ts'
import { keepCatalog } from './catalog.ts'
import { keepForm } from './form.ts'
import { entries } from './history.ts'
import { followOrder, isEnded } from './runner.ts'
import { loadSettings } from './settings.ts'
import { findWallets } from './wallets.ts'

const place = document.getElementById('page')
if (place !== null) render(<App />, place)
findWallets()
const { app_id: appId } = await loadSettings()
if (appId !== null) {
  void keepCatalog()
  keepForm()
  keepBalance()
  for (const { orderId, status } of entries.value) if (!isEnded(status)) followOrder(orderId)
}
