/** The service at one glance. */
import type {
  ActivityRecord,
  BudgetsRecord,
  InventoryRecord,
  OrderRowsRecord,
  OverviewRecord,
  ProblemRecord,
} from '@tandem/protocol/wire/operator.ts'
import { operator } from '../../texts.ts'
import { useReading } from './api.ts'
import { Attention } from './attention.tsx'
import { Chains } from './chains.tsx'
import { BarChart } from './chart.tsx'
import { formatCoins, formatCount, formatDollars, formatSeconds, formatShort, shortId, words } from './format.ts'
import { Orders } from './orders.tsx'
import { Cell, OrderLink, Section, State, Table, Time, Waiting } from './parts.tsx'
import { Search } from './search.tsx'

const OFTEN_MS = 2_000
const SOMETIMES_MS = 10_000
const SELDOM_MS = 30_000

export function Overview() {
  const overview = useReading<OverviewRecord>('overview', OFTEN_MS).value.data
  const orders = useReading<OrderRowsRecord>('orders', OFTEN_MS).value.data
  const activity = useReading<ActivityRecord>('activity', SOMETIMES_MS).value.data
  const inventory = useReading<InventoryRecord>('inventory', SELDOM_MS).value.data
  const budgets = useReading<BudgetsRecord>('budgets', SELDOM_MS).value.data
  const problems = useReading<readonly ProblemRecord[]>('problems', OFTEN_MS).value.data
  if (overview === null) return <Waiting />
  return (
    <>
      <Attention overview={overview} inventory={inventory} budgets={budgets} />
      <Figures overview={overview} activity={activity} />
      <Search />
      <div class="parts">
        <Section id="orders" title={operator.orders.headline} wide>
          {orders === null ? <Waiting /> : <Orders orders={orders.orders} none={operator.orders.none} />}
          {orders?.more === true && <p class="soft small">{operator.orders.more}</p>}
        </Section>
        <Chains overview={overview} />
        {activity !== null && <Activity activity={activity} />}
        {activity !== null && <Steps activity={activity} />}
        <Solvers overview={overview} inventory={inventory} />
        <Budgets budgets={budgets} />
        {problems !== null && <Problems problems={problems} />}
      </div>
    </>
  )
}

function Figures({ overview, activity }: { readonly overview: OverviewRecord; readonly activity: ActivityRecord | null }) {
  const texts = operator.figures
  const { process, problems } = overview
  const swaps = activity?.periods.reduce((sum, period) => sum + period.swaps, 0) ?? 0
  const volume = activity?.periods.reduce((sum, period) => sum + Number(period.volume_usd), 0) ?? 0
  const figures = [
    { name: texts.inProgress, value: formatCount(overview.in_progress), note: texts.worth(formatDollars(overview.in_progress_usd)) },
    {
      name: texts.stuck,
      value: formatCount(overview.stuck),
      note: overview.stuck > 0 ? texts.stuckSome : texts.stuckNone,
      isBad: overview.stuck > 0,
    },
    { name: texts.swaps, value: formatShort(swaps), note: texts.volume(formatDollars(String(volume))) },
    { name: texts.problems, value: formatShort(problems.error), note: texts.warnings(problems.warn), isBad: problems.error > 0 },
    {
      name: texts.load,
      value: `${Math.round(process.event_loop_percent)} %`,
      note: process.admits_orders ? texts.admits(process.memory_megabytes) : texts.refuses,
      isBad: !process.admits_orders,
    },
    {
      name: texts.database,
      value: String(process.database.open - process.database.idle),
      note: texts.databaseNote(process.database.max, process.database.waiting),
      isBad: process.database.waiting > 0,
    },
  ]
  return (
    <dl class="figures" aria-label={texts.label}>
      {figures.map(({ name, value, note, isBad }) => (
        <div key={name} class={isBad === true ? 'bad' : undefined}>
          <dt>{name}</dt>
          <dd>
            <span class="value">{value}</span>
            <span class="note">{note}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Activity({ activity }: { readonly activity: ActivityRecord }) {
  const texts = operator.activity
  const { periods } = activity
  const timeOf = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
  const swaps = periods.map(({ at, swaps: value }) => ({ at, value, text: `${timeOf(at)}: ${formatCount(value)}` }))
  const volume = periods.map(({ at, volume_usd }) => ({
    at,
    value: Number(volume_usd),
    text: `${timeOf(at)}: $${formatDollars(volume_usd)}`,
  }))
  const sum = (bars: typeof swaps) => bars.reduce((total, { value }) => total + value, 0)
  const max = (bars: typeof swaps) => Math.max(0, ...bars.map(({ value }) => value))
  const days = [...new Set(periods.map(({ at }) => at.slice(0, 10)))].toReversed()
  const ofDay = (bars: typeof swaps, day: string) => sum(bars.filter(({ at }) => at.startsWith(day)))
  return (
    <Section id="activity" title={texts.headline}>
      <figure>
        <figcaption class="label">{texts.swaps}</figcaption>
        <BarChart
          bars={swaps}
          format={formatShort}
          summary={texts.summary(texts.swaps, formatShort(sum(swaps)), formatShort(max(swaps)))}
        />
      </figure>
      <figure>
        <figcaption class="label">{texts.volume}</figcaption>
        <BarChart
          bars={volume}
          format={formatShort}
          summary={texts.summary(texts.volume, formatShort(sum(volume)), formatShort(max(volume)))}
        />
      </figure>
      <details>
        <summary>{texts.table}</summary>
        <Table
          label={texts.headline}
          columns={[{ text: texts.day }, { text: texts.swaps, isNumber: true }, { text: texts.volume, isNumber: true }]}
        >
          {days.map((day) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <Cell kind="number">{formatCount(ofDay(swaps, day))}</Cell>
              <Cell kind="number">${formatDollars(String(ofDay(volume, day)))}</Cell>
            </tr>
          ))}
        </Table>
      </details>
    </Section>
  )
}

function Steps({ activity }: { readonly activity: ActivityRecord }) {
  const { headline, none, columns, open } = operator.steps
  return (
    <Section id="steps" title={headline}>
      {activity.steps.length === 0 ? (
        <p class="soft">{none}</p>
      ) : (
        <Table
          label={headline}
          columns={[
            { text: columns.step },
            { text: columns.orders, isNumber: true },
            { text: columns.median, isNumber: true },
            { text: columns.p95, isNumber: true },
            { text: columns.slowest, isNumber: true },
          ]}
        >
          {activity.steps.map((step) => (
            <tr key={`${step.from} ${step.to}`}>
              <th scope="row">
                {words(step.from)} → {words(step.to)}
              </th>
              <Cell kind="number" name={columns.orders}>
                {formatCount(step.orders)}
              </Cell>
              <Cell kind="number" name={columns.median}>
                {formatSeconds(step.median_seconds)}
              </Cell>
              <Cell kind="number" name={columns.p95}>
                {formatSeconds(step.p95_seconds)}
              </Cell>
              <Cell kind="number" name={columns.slowest}>
                <a
                  href={`#/orders/${step.slowest_order}`}
                  aria-label={`${formatSeconds(step.slowest_seconds)}${open(shortId(step.slowest_order))}`}
                >
                  {formatSeconds(step.slowest_seconds)}
                </a>
              </Cell>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

function Solvers({ overview, inventory }: { readonly overview: OverviewRecord; readonly inventory: InventoryRecord | null }) {
  const { headline, columns, holdings, silent, standings } = operator.solvers
  return (
    <Section id="solvers" title={headline}>
      <Table
        label={headline}
        columns={[
          { text: columns.solver },
          { text: columns.standing },
          { text: columns.reliability, isNumber: true },
          { text: columns.open, isNumber: true },
          { text: columns.exposure, isNumber: true },
        ]}
      >
        {overview.solvers.map(({ id, standing, reliability, open_orders, exposure_usd }) => (
          <tr key={id}>
            <th scope="row">{id}</th>
            <Cell>
              <State kind={standing === 'in' ? 'good' : 'bad'}>{standings[standing] ?? standing}</State>
            </Cell>
            <Cell kind="number" name={columns.reliability}>
              {Math.round(reliability * 100)} %
            </Cell>
            <Cell kind="number" name={columns.open}>
              {formatCount(open_orders)}
            </Cell>
            <Cell kind="number" name={columns.exposure}>
              ${formatDollars(exposure_usd)}
            </Cell>
          </tr>
        ))}
      </Table>
      {inventory === null ? (
        <Waiting />
      ) : (
        <>
          {inventory.silent.length > 0 && <p class="notice alarm">{silent(inventory.silent.join(', '))}</p>}
          {inventory.holdings.length > 0 && (
            <Table
              label={holdings.available}
              columns={[
                { text: holdings.solver },
                { text: holdings.asset },
                { text: holdings.balance, isNumber: true },
                { text: holdings.available, isNumber: true },
                { text: holdings.usd, isNumber: true },
              ]}
            >
              {inventory.holdings.map(({ solver_id, asset, balance, available, available_usd }) => (
                <tr key={`${solver_id} ${asset}`}>
                  <th scope="row">{solver_id}</th>
                  <Cell>{asset}</Cell>
                  <Cell kind="number" name={holdings.balance}>
                    {formatCoins(balance)}
                  </Cell>
                  <Cell kind="number" name={holdings.available}>
                    {formatCoins(available)}
                  </Cell>
                  <Cell kind="number" name={holdings.usd}>
                    ${formatDollars(available_usd)}
                  </Cell>
                </tr>
              ))}
            </Table>
          )}
        </>
      )}
    </Section>
  )
}

function Budgets({ budgets }: { readonly budgets: BudgetsRecord | null }) {
  const { headline, gas, unknown, empty, sponsored, unlimited, none, refunds } = operator.budgets
  if (budgets === null) return null
  return (
    <Section id="budgets" title={headline}>
      <Table label={headline} columns={[{ text: gas.chain }, { text: gas.balance, isNumber: true }, { text: gas.usd, isNumber: true }]}>
        {budgets.gas.map(({ chain, symbol, address, balance, usd }) => (
          <tr key={chain}>
            <th scope="row" title={address}>
              {chain}
            </th>
            <Cell kind="number">
              {balance === null ? (
                <State kind="bad">{unknown}</State>
              ) : Number(balance) === 0 ? (
                <State kind="bad">{empty}</State>
              ) : (
                `${formatCoins(balance)} ${symbol}`
              )}
            </Cell>
            <Cell kind="number">{usd === null ? '–' : `$${formatDollars(usd)}`}</Cell>
          </tr>
        ))}
      </Table>
      {budgets.sponsorship.length === 0 ? (
        <p class="soft">{none}</p>
      ) : (
        <Table
          label={sponsored.used}
          columns={[{ text: sponsored.app }, { text: sponsored.used, isNumber: true }, { text: sponsored.limit, isNumber: true }]}
        >
          {budgets.sponsorship.map(({ app, used, per_day }) => (
            <tr key={app}>
              <th scope="row">{app}</th>
              <Cell kind="number" name={sponsored.used}>
                {formatCount(used)}
              </Cell>
              <Cell kind="number" name={sponsored.limit}>
                {per_day === null ? unlimited : formatCount(per_day)}
              </Cell>
            </tr>
          ))}
        </Table>
      )}
      {budgets.refunds.map(({ app, paid_usd, per_day_usd }) => (
        <p key={app} class="soft">
          {refunds(app, paid_usd, per_day_usd)}
        </p>
      ))}
    </Section>
  )
}

const MAX_PROBLEMS = 30

function Problems({ problems }: { readonly problems: readonly ProblemRecord[] }) {
  const { headline, none, times, order, levels } = operator.problems
  return (
    <Section id="problems" title={headline} wide>
      {problems.length === 0 && <p class="soft">{none}</p>}
      <ol class="problems">
        {problems.slice(0, MAX_PROBLEMS).map((problem) => (
          <li key={`${problem.at} ${problem.message}`}>
            <Time at={problem.at} />
            <State kind={problem.level === 'warn' ? 'plain' : 'bad'}>{levels[problem.level] ?? problem.level}</State>
            <span>
              {problem.message}
              {problem.times > 1 && <span class="soft"> {times(problem.times)}</span>}
              {problem.order_id !== null && (
                <span>
                  {' '}
                  {order} <OrderLink id={problem.order_id} />
                </span>
              )}
              {problem.details !== '' && <span class="mono small soft block">{problem.details}</span>}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
