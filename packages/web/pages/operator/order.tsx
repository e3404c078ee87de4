/** One order: why it is not moving, rule by rule, and everything that happened. */

import type { ActionRecord, LegRecord, OrderPageRecord } from '@tandem/protocol/wire/operator.ts'
import type { ComponentChildren } from 'preact'
import { groupThousands } from '../../shared/amount.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { operator } from '../../texts.ts'
import { useReading } from './api.ts'
import { groupAmounts, shortId, words } from './format.ts'
import { Cell, Section, State, Table, Time, Tx, Waiting } from './parts.tsx'

const texts = operator.order
const AGAIN_MS = 2_000

export function OrderPage({ id }: { readonly id: string }) {
  const { data, refused } = useReading<OrderPageRecord>(`orders/${encodeURIComponent(id)}`, AGAIN_MS).value
  if (refused !== null) return <p class="wrong">{texts.unknown}</p>
  if (data === null) return <Waiting />
  return (
    <div class="parts">
      <Summary order={data} />
      <Leg title={texts.legs.source} leg={data.legs.source} id="source" />
      <Leg title={texts.legs.destination} leg={data.legs.destination} id="destination" />
      <History order={data} />
      <Actions actions={data.actions} />
      <Rules order={data} />
    </div>
  )
}

function Summary({ order }: { readonly order: OrderPageRecord }) {
  const { waits_for: wait, stuck, not_revealed_because: notRevealed, declined } = order
  return (
    <Section id="why" title={wait === null ? texts.where : texts.why} wide>
      <p class="exchange">
        {groupAmounts(order.exchange.from)} <span aria-hidden="true">→</span> <span class="hidden">{texts.for}</span>{' '}
        {groupAmounts(order.exchange.to)}
      </p>
      <p class="tx">
        <span class="mono id">{order.order_id}</span>
        <CopyButton text={order.order_id} name={texts.id} />
      </p>
      <div aria-live="polite" class="stack">
        <p>
          <State kind={stuck === null ? 'plain' : 'bad'}>{words(order.status)}</State> {order.status_means}
        </p>
        {wait === null ? (
          <p>{texts.done}</p>
        ) : (
          <p class={stuck === null ? 'notice' : 'notice alarm'}>
            <strong>{texts.waits(wait.who)}</strong>
            {wait.by !== null && (
              <>
                {' '}
                {texts.by('')}
                <Time at={wait.by} />
              </>
            )}
            : {wait.text}
          </p>
        )}
        {stuck !== null && (
          <p class="wrong">
            <strong>{texts.stuck}:</strong> {stuck}
          </p>
        )}
      </div>
      <dl class="leaders">
        <Term name={texts.app} value={order.app} />
        <Term name={texts.solver} value={order.solver_id} />
        <Term name={texts.created} value={<Time at={order.created_at} />} />
        <Term name={texts.deadline} value={<Time at={order.deadline} />} />
        {notRevealed !== null && wait !== null && <Term name={texts.notRevealed} value={notRevealed} />}
        {declined !== null && <Term name={texts.declined} value={declined} />}
        {order.facts.map(({ name, value }) => (
          <Term key={name} name={name} value={groupAmounts(value)} />
        ))}
      </dl>
      {order.closed && <p class="soft">{texts.closed}</p>}
    </Section>
  )
}

function Term({ name, value }: { readonly name: string; readonly value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Leg({ title, leg, id }: { readonly title: string; readonly leg: LegRecord; readonly id: string }) {
  return (
    <Section id={id} title={`${title}: ${groupThousands(leg.amount)} ${leg.symbol}`}>
      <p>
        <State kind="plain">{leg.phase}</State> {leg.phase_means}
      </p>
      <dl class="leaders">
        <Term name={leg.asset} value={texts.confirmations(leg.confirmations, leg.required_confirmations)} />
        <Term name={texts.timelock} value={leg.timelock} />
        <Term
          name={texts.address}
          value={
            <span class="mono" title={leg.address}>
              {shortId(leg.address)}
            </span>
          }
        />
      </dl>
      <h3>{texts.deposits}</h3>
      {leg.deposits.length === 0 && <p class="soft">{texts.noDeposit}</p>}
      <ul class="deposits">
        {leg.deposits.map(({ tx, amount, confirmations, left, spent }) => (
          <li key={`${tx} ${amount}`}>
            {groupAmounts(amount)}, {texts.confirmations(confirmations, leg.required_confirmations)}
            {left !== null && spent === null && `, ${texts.left(left)}`}
            <Tx hash={tx} explorer={leg.explorer_tx_url} />
            {spent !== null && (
              <>
                {texts.spent[spent.kind](spent.paid === null ? null : groupAmounts(spent.paid))}{' '}
                <Tx hash={spent.tx} explorer={leg.explorer_tx_url} />
              </>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function History({ order }: { readonly order: OrderPageRecord }) {
  return (
    <Section id="history" title={texts.history} wide>
      <ol class="problems">
        {order.history.map(({ at, kind, text, tx, leg }) => (
          <li key={`${at} ${kind} ${text} ${tx}`}>
            <Time at={at} />
            <span class="soft small">{texts.kinds[kind] ?? kind}</span>
            <span>
              {kind === 'status' ? <strong>{words(text)}</strong> : groupAmounts(text)}
              {tx !== null && <Tx hash={tx} explorer={leg === null ? '' : order.legs[leg].explorer_tx_url} />}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function Actions({ actions }: { readonly actions: readonly ActionRecord[] }) {
  return (
    <Section id="actions" title={texts.actions} wide>
      {actions.length === 0 && <p class="soft">{texts.noActions}</p>}
      <ul class="deposits">
        {actions.map(({ verb, leg, wanted, running, failures, last_error, refusal, attempts }) => (
          <li key={`${verb} ${leg}`}>
            <strong>
              {verb} {leg}
            </strong>{' '}
            <State kind={wanted && failures > 0 ? 'bad' : 'plain'}>
              {running ? texts.running : wanted ? texts.wanted : texts.notWanted}
            </State>{' '}
            <span class="soft">{texts.attempts(attempts.length)}</span>
            {failures > 0 && <span class="block wrong">{texts.failures(failures, last_error)}</span>}
            {refusal !== null && <span class="block">{refusal}</span>}
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Rules({ order }: { readonly order: OrderPageRecord }) {
  const { rule, rules, holds, not } = texts
  return (
    <Section id="rules" title={rules} wide>
      <Table label={rules} columns={[{ text: rule.holds }, { text: rule.who }, { text: rule.does }, { text: rule.when }]}>
        {order.rules.map((one) => (
          <tr key={`${one.who} ${one.verb} ${one.leg}`}>
            <Cell>{one.holds ? <State kind="good">{holds}</State> : <span class="soft">{not}</span>}</Cell>
            <Cell>{one.who}</Cell>
            <th scope="row">
              {one.verb} {one.leg}
            </th>
            <Cell kind="text">{one.when}</Cell>
          </tr>
        ))}
      </Table>
    </Section>
  )
}
