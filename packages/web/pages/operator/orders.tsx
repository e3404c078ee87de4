/** Orders as a table: what each is waiting for, and which are stuck. */
import type { OrderRowRecord } from '@tandem/protocol/wire/operator.ts'
import { operator } from '../../texts.ts'
import { formatDollars, words } from './format.ts'
import { Cell, OrderLink, Since, State, Table } from './parts.tsx'

export function Orders({ orders, none }: { readonly orders: readonly OrderRowRecord[]; readonly none: string }) {
  const { columns, stuck: stuckText, headline } = operator.orders
  if (orders.length === 0) return <p class="soft">{none}</p>
  return (
    <Table
      label={headline}
      columns={[
        { text: columns.order },
        { text: columns.pair },
        { text: columns.worth, isNumber: true },
        { text: columns.status },
        { text: columns.since, isNumber: true },
        { text: columns.waits },
      ]}
    >
      {orders.map(({ order_id, from, to, volume_usd, status, since, waits_for, stuck }) => (
        <tr key={order_id}>
          <th scope="row">
            <OrderLink id={order_id} />
          </th>
          <Cell>
            {from} → {to}
          </Cell>
          <Cell kind="number">${formatDollars(volume_usd)}</Cell>
          <Cell>
            {words(status)} {stuck !== null && <State kind="bad">{stuckText}</State>}
          </Cell>
          <Cell kind="number" name={columns.since}>
            <Since at={since} />
          </Cell>
          <Cell kind="text">
            {stuck !== null && <span class="wrong">{stuck}</span>}
            {stuck === null && waits_for !== null && `${waits_for.who}: ${waits_for.text}`}
          </Cell>
        </tr>
      ))}
    </Table>
  )
}
