/** One swap that was found: what it is, where it stands, and what can be done about it. */
import { useSignal } from '@preact/signals'
import { exchangeOf, isAbout } from '../../../sdk/src/index.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { swap as swapTexts, rescue as texts } from '../../texts.ts'
import { Outcome, useActions } from './action.tsx'
import { amountText, chainName, factsOf } from './facts.ts'
import { LeastField, leastIn } from './least-field.tsx'
import { addresses, assetsOf, type Found, isEnded, type Opened } from './rescue.ts'
import { Ways } from './ways.tsx'

export function SwapCard({ opened, found }: { readonly opened: Opened; readonly found: Found }) {
  const actions = useActions()
  const typed = useSignal('')
  const { orderId, record, saved, problem } = found
  const [source, destination] = assetsOf(found)
  const told = record === null ? null : exchangeOf(record)
  const from = told?.from ?? { asset: source, amount: saved?.request.source.amount ?? '0' }
  const to = told?.to ?? { asset: destination, amount: saved?.request.destination.amount ?? '0' }
  const incoming = amountText(to.asset, to.amount)
  const needsLeast = saved?.phase === 'restored' && !isEnded(found)
  const decimals = factsOf(destination)?.decimals ?? 0
  const least = () => (needsLeast ? leastIn(typed, decimals) : null)
  return (
    <li class="sheet stack swap">
      <header>
        <h3>
          {amountText(from.asset, from.amount)} <span aria-hidden="true">→</span> <span class="hidden">{texts.for}</span>{' '}
          {told !== null && isAbout(told.to) ? swapTexts.order.about(incoming) : incoming}
        </h3>
        <p class="small soft">{texts.fromTo(chainName(source.split(':')[0] ?? ''), chainName(destination.split(':')[0] ?? ''))}</p>
      </header>
      <dl class="leaders">
        <div>
          <dt>{texts.status}</dt>
          <dd>{statusOf(found)}</dd>
        </div>
        {saved !== null && (
          <div>
            <dt>{texts.payout}</dt>
            <dd class="mono">{saved.payout}</dd>
          </div>
        )}
        <div>
          <dt>{texts.order}</dt>
          <dd>
            <span class="mono">{`${orderId.slice(0, 8)}…${orderId.slice(-6)}`}</span>
            <CopyButton text={orderId} name={texts.order} />
          </dd>
        </div>
      </dl>
      {problem !== null && <p class="notice alarm">{needsAddress(found) ? texts.nameAddress : problem}</p>}
      {problem === null && needsLeast && (
        <LeastField typed={typed} symbol={factsOf(destination)?.symbol ?? destination} hint={texts.leastHint(incoming)} />
      )}
      {problem === null && <Ways opened={opened} found={found} actions={actions} least={least} />}
      <Outcome actions={actions} />
    </li>
  )
}

/** In the words of the swap page. Without the service only what the file says. */
function statusOf({ record, isTold, saved }: Found): string {
  if (record !== null && isTold) return swapTexts.order.status[record.status] ?? record.status
  return saved === null ? texts.unknown : texts.phases[saved.phase]
}

function needsAddress({ record }: Found): boolean {
  const chains = [record?.source_swap.chain, record?.destination_swap.chain]
  return chains.some((chain) => chain !== undefined && (addresses.value[chain] ?? '') === '')
}
