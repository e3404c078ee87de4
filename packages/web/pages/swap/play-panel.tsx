/** The play wallet: balances, coins, and a switch that makes the next swap fail. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formatAmount } from '../../shared/amount.ts'
import { now } from '../../shared/clock.ts'
import type { Explanation } from '../../shared/explain.ts'
import { Problem } from '../../shared/problem.tsx'
import { swap } from '../../texts.ts'
import { type Asset, explainError } from './catalog.ts'
import { from, to } from './form.ts'
import { balances, getCoins, hasPlayWallet, readBalance, setSolversRun, solversFailNext, solversRun } from './play.ts'

const READ_EVERY_SECONDS = 3

export function PlayPanel() {
  const shown = [from.value, to.value].filter((asset): asset is Asset => asset !== null && hasPlayWallet(asset))
  const problem = useSignal<Explanation | null>(null)
  const tick = Math.floor(now.value / READ_EVERY_SECONDS)
  const names = shown.map(({ id }) => id).join(' ')
  useEffect(() => {
    // While the node does not answer, the last balance stays; the next tick asks again.
    for (const asset of shown) void readBalance(asset).catch(() => undefined)
  }, [tick, names])
  const act = (job: () => Promise<unknown>) => () => {
    problem.value = null
    void job().catch((error: unknown) => {
      problem.value = explainError(error)
    })
  }
  return (
    <section class="stack" aria-labelledby="play">
      <h2 id="play">{swap.play.title}</h2>
      <p class="small soft">{swap.play.what}</p>
      {from.value !== null && !hasPlayWallet(from.value) && <p class="notice small">{swap.play.cannotPay(from.value.chain.display)}</p>}
      <dl class="leaders">
        {shown.map((asset) => (
          <div key={asset.id} data-balance={asset.id}>
            <dt>{swap.play.balance(asset.symbol)}</dt>
            <dd>
              {formatAmount(balances.value.get(asset.id) ?? 0n, asset.decimals)}
              <button type="button" class="button plain small" onClick={act(() => getCoins(asset))}>
                {swap.play.get(asset.symbol)}
              </button>
            </dd>
          </div>
        ))}
      </dl>
      <label class="tick small">
        <input
          type="checkbox"
          checked={solversFailNext.value}
          onChange={({ currentTarget }) => {
            solversFailNext.value = currentTarget.checked
          }}
        />
        {swap.play.fail}
      </label>
      <button type="button" class="button" onClick={act(() => setSolversRun(!solversRun.value))}>
        {solversRun.value ? swap.play.stop : swap.play.start}
      </button>
      {problem.value !== null && <Problem of={problem.value} />}
    </section>
  )
}
