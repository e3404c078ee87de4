/** The swap page: the form or one order, and beside it the play wallet and the history. */
import { Layout } from '../../shared/layout.tsx'
import { shared, swap } from '../../texts.ts'
import { isAway, isOffline } from './connection.ts'
import { findEntry } from './history.ts'
import { HistoryList } from './history-list.tsx'
import { OrderView } from './order-view.tsx'
import { PlayPanel } from './play-panel.tsx'
import { RescueKit } from './rescue-kit.tsx'
import { shownOrder } from './route.ts'
import { settings } from './settings.ts'
import { SwapForm } from './swap-form.tsx'
import './page.css'

export function App() {
  const { value } = settings
  const isLocal = value?.play != null
  const isWatching = shownOrder.value !== null && findEntry(shownOrder.value) === null
  return (
    <Layout here="/" network={isLocal ? shared.localNetwork : null}>
      <div class="columns">
        <div class="stack">
          {value === null && <p class="notice">{swap.starting}</p>}
          {value !== null && value.app_id === null && <p class="notice alarm">{swap.noApp}</p>}
          {isAway.value && (
            <p class="notice alarm" role="status">
              {isOffline.value ? swap.offline : swap.away}
            </p>
          )}
          {shownOrder.value === null ? (
            <>
              <h1>{swap.headline}</h1>
              <SwapForm />
            </>
          ) : (
            value?.app_id != null && <OrderView key={shownOrder.value} orderId={shownOrder.value} />
          )}
        </div>
        <aside class="stack aside">
          {isLocal && !isWatching && <PlayPanel />}
          <HistoryList />
          <RescueKit />
        </aside>
      </div>
    </Layout>
  )
}
