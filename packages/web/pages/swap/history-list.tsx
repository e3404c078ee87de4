/** The swaps that were made in this browser. */
import { swap } from '../../texts.ts'
import { type Entry, entries } from './history.ts'
import { amountText } from './order-amounts.ts'
import { shownOrder, showOrder } from './route.ts'

const SHOWN = 12

export function HistoryList() {
  return (
    <section class="stack" aria-labelledby="history">
      <h2 id="history">{swap.history.title}</h2>
      {entries.value.length === 0 && <p class="small soft">{swap.history.none}</p>}
      <ul class="past">
        {entries.value.slice(0, SHOWN).map((entry) => (
          <li key={entry.orderId}>
            <a
              href={`/?order=${entry.orderId}`}
              aria-current={shownOrder.value === entry.orderId ? 'true' : undefined}
              onClick={(event) => {
                event.preventDefault()
                showOrder(entry.orderId)
              }}
            >
              <span>{exchangeText(entry)}</span>
              <span class="small soft">{swap.order.status[entry.status] ?? entry.status}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

function exchangeText({ from, to, fromAmount, toAmount, isAbout, status }: Entry): string {
  const incoming = amountText(status === 'refunded' ? from : to, toAmount)
  return `${amountText(from, fromAmount)} → ${isAbout === true ? swap.order.about(incoming) : incoming}`
}
