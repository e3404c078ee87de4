/** Orders as a table: what each waits for, and which are stuck. */
import type { OrderRowRecord } from '../../../src/protocol/wire/operator.ts'
import { operator } from '../../texts.ts'
import { formatDollars, words } from './format.ts'
import { OrderLink, Since, State, Table } from './parts.tsx'

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
          <td>
            {from} → {to}
          </td>
          <td class="number">${formatDollars(volume_usd)}</td>
          <td>
            {words(status)}
            {stuck !== null && <State kind="bad">{stuckText}</State>}
          </td>
          <td class="number">
            <Since at={since} />
          </td>
          <td class="text">{stuck ?? (waits_for === null ? '' : `${waits_for.who}: ${waits_for.text}`)}</td>
        </tr>
      ))}
    </Table>
  )
}
