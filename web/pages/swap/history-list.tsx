/** The swaps that were made in this browser. */
import { swap } from '../../texts.ts'
import { entries } from './history.ts'
import { amountText } from './order-amounts.ts'
import { shownOrder, showOrder } from './route.ts'

const SHOWN = 12

export function HistoryList() {
  return (
    <section class="stack" aria-labelledby="history">
      <h2 id="history">{swap.history.title}</h2>
      {entries.value.length === 0 && <p class="small soft">{swap.history.none}</p>}
      <ul class="past">
        {entries.value.slice(0, SHOWN).map(({ orderId, from, to, fromAmount, toAmount, isAbout, status }) => (
          <li key={orderId}>
            <a
              href={`/?order=${orderId}`}
              aria-current={shownOrder.value === orderId ? 'true' : undefined}
              onClick={(event) => {
                event.preventDefault()
                showOrder(orderId)
              }}
            >
              <span>
                {amountText(from, fromAmount)} → {isAbout === true && swap.about} {amountText(status === 'refunded' ? from : to, toAmount)}
              </span>
              <span class="small soft">{swap.order.status[status] ?? status}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
