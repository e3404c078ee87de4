/** The problems that an operator should handle now, above everything else. It is empty while there is none. */
import type { BudgetsRecord, InventoryRecord, OverviewRecord } from '@tandem/protocol/wire/operator.ts'
import { operator } from '../../texts.ts'
import { faultOf } from './chains.tsx'

type Concern = { readonly text: string; readonly section: string }
type Known = { readonly overview: OverviewRecord; readonly inventory: InventoryRecord | null; readonly budgets: BudgetsRecord | null }

export function Attention(known: Known) {
  const concerns = concernsOf(known)
  return (
    <div role="status">
      {concerns.length > 0 && (
        <div class="notice alarm attention">
          <h2>{operator.attention.headline}</h2>
          <ul>
            {concerns.map(({ text, section }) => (
              <li key={text}>
                <button type="button" class="button plain link" onClick={() => document.getElementById(section)?.scrollIntoView()}>
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

function concernsOf({ overview, inventory, budgets }: Known): readonly Concern[] {
  const texts = operator.attention
  const everything = overview.halts.find(({ scope }) => scope === '*')
  return [
    ...(overview.process.admits_orders ? [] : [{ text: operator.figures.refuses, section: 'orders' }]),
    ...(overview.stuck > 0 ? [{ text: texts.stuck(overview.stuck), section: 'orders' }] : []),
    ...(everything === undefined ? [] : [{ text: operator.chains.allHalted(everything.reason), section: 'chains' }]),
    ...overview.chains.flatMap((chain) => {
      const fault = faultOf(chain)
      return fault === null ? [] : [{ text: `${chain.name}: ${fault}`, section: 'chains' }]
    }),
    ...(inventory?.silent ?? []).map((id) => ({ text: texts.silent(id), section: 'solvers' })),
    ...(budgets?.gas ?? [])
      .filter(({ balance }) => balance !== null && Number(balance) === 0)
      .map(({ chain }) => ({ text: texts.noGas(chain), section: 'budgets' })),
  ]
}
