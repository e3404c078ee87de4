/** One swap that was found, and what can be done about it. */
import { useSignal } from '@preact/signals'
import { rescue as texts } from '../../texts.ts'
import { ActionButton, Outcome, useActions } from './action.tsx'
import { type Found, type Opened, redeemAlone, refundLater, refundNow, resume, sweep } from './rescue.ts'

type Amounts = { readonly asset: string; readonly amount: string }

export function SwapCard({ opened, found }: { readonly opened: Opened; readonly found: Found }) {
  const actions = useActions()
  const least = useSignal('')
  const { orderId, record, saved, problem } = found
  const source: Amounts | undefined = record?.source_swap ?? saved?.request.source
  const destination: Amounts | undefined = record?.destination_swap ?? saved?.request.destination
  const needsLeast = saved?.phase === 'restored'
  const chain = source?.asset.split(':')[0] ?? ''
  const leastGiven = () => {
    if (!needsLeast) return null
    if (!/^[0-9]+$/.test(least.value.trim())) throw new Error(texts.leastMissing)
    return BigInt(least.value.trim())
  }
  return (
    <li class="sheet stack swap">
      <h3>
        {source?.amount} {source?.asset} → {destination?.amount} {destination?.asset}
      </h3>
      <dl class="leaders">
        <div>
          <dt>{texts.order}</dt>
          <dd class="mono">{orderId}</dd>
        </div>
        <div>
          <dt>{texts.status}</dt>
          <dd>{record?.status ?? texts.unknown}</dd>
        </div>
        {saved !== null && (
          <div>
            <dt>{texts.payout}</dt>
            <dd class="mono">{saved.payout}</dd>
          </div>
        )}
      </dl>
      {problem !== null && <p class="notice alarm">{problem}</p>}
      {problem === null && needsLeast && (
        <div class="field">
          <label for={`least-${orderId}`}>{texts.least(destination?.asset ?? '')}</label>
          <input
            id={`least-${orderId}`}
            class="input mono"
            inputMode="numeric"
            value={least.value}
            onInput={({ currentTarget }) => {
              least.value = currentTarget.value
            }}
          />
          <p class="hint">{texts.leastHint(destination?.amount ?? '')}</p>
        </div>
      )}
      {problem === null && (
        <div class="row">
          <ActionButton actions={actions} text={texts.continue} make={() => resume(opened, orderId, leastGiven())} />
          <ActionButton actions={actions} text={texts.refundNow} make={() => refundNow(opened, orderId)} />
          <ActionButton actions={actions} text={texts.refund} make={() => refundLater(opened, orderId)} />
          {saved?.ownKeys.includes('destination') === true && (
            <ActionButton actions={actions} text={texts.redeem} make={() => redeemAlone(opened, orderId)} />
          )}
          {saved?.ownKeys.includes('source') === true && saved.refundTo !== null && (
            <ActionButton actions={actions} text={texts.sweep} make={() => sweep(opened, chain, saved.refundTo ?? '')} />
          )}
        </div>
      )}
      <Outcome actions={actions} />
    </li>
  )
}
