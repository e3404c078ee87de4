/** One swap that was found: what it is, where it stands, and what can be done about it. One that has ended is a single line that opens. */
import { useSignal } from '@preact/signals'
import { exchangeOf, isAbout } from '@tandem/sdk'
import { CopyButton } from '../../shared/copy-button.tsx'
import { Problem } from '../../shared/problem.tsx'
import { swap as swapTexts, rescue as texts } from '../../texts.ts'
import { Outcome, useActions } from './action.tsx'
import { amountText, chainName, factsOf } from './facts.ts'
import { MinimumField, minimumIn } from './minimum-field.tsx'
import { OwnAddresses } from './own-addresses.tsx'
import { addresses, assetsOf, type Found, isEnded, type Opened } from './rescue.ts'
import { Ways } from './ways.tsx'

type Props = { readonly opened: Opened; readonly found: Found }

export function SwapCard({ opened, found }: Props) {
  if (!found.isQuiet)
    return (
      <li class="sheet stack swap" data-state="open">
        <header>
          <h3>
            <Exchange found={found} />
          </h3>
          <p class="small soft">{chainsOf(found)}</p>
        </header>
        <Inside opened={opened} found={found} />
      </li>
    )
  return (
    <li data-state="ended">
      <details>
        <summary>
          <Exchange found={found} /> <span class="soft small">{statusOf(found)}</span>
        </summary>
        <div class="stack">
          <p class="small soft">{chainsOf(found)}</p>
          <Inside opened={opened} found={found} />
        </div>
      </details>
    </li>
  )
}

function Exchange({ found }: { readonly found: Found }) {
  const [source] = assetsOf(found)
  const from = found.record === null ? null : exchangeOf(found.record).from
  return (
    <>
      {amountText(from?.asset ?? source, from?.amount ?? found.saved?.request.source.amount ?? '0')} <span aria-hidden="true">→</span>{' '}
      <span class="hidden">{texts.for}</span> {incomingOf(found)}
    </>
  )
}

/** The amount that arrived or is expected. */
function incomingOf(found: Found): string {
  const [, destination] = assetsOf(found)
  if (found.record === null) return amountText(destination, found.saved?.request.destination.amount ?? '0')
  const { to } = exchangeOf(found.record)
  const text = amountText(to.asset, to.amount)
  return isAbout(to) ? swapTexts.order.about(text) : text
}

function Inside({ opened, found }: Props) {
  const actions = useActions()
  const typed = useSignal('')
  const { orderId, saved, problem } = found
  const [, destination] = assetsOf(found)
  const needsMinimum = saved?.phase === 'restored' && !isEnded(found)
  const decimals = factsOf(destination)?.decimals ?? 0
  const minToAmount = () => (needsMinimum ? minimumIn(typed, decimals) : null)
  return (
    <>
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
      {problem !== null && <Missing opened={opened} found={found} problem={problem} />}
      {problem === null && needsMinimum && (
        <MinimumField typed={typed} symbol={factsOf(destination)?.symbol ?? destination} hint={texts.minHint(incomingOf(found))} />
      )}
      {problem === null && <Ways opened={opened} found={found} actions={actions} minToAmount={minToAmount} />}
      <Outcome actions={actions} />
    </>
  )
}

/** What is needed before the swap can continue. One that has ended needs addresses only for a search for late money. */
function Missing({ opened, found, problem }: Props & { readonly problem: string }) {
  if (!needsAddress(found)) return <Problem of={{ text: texts.cannotGoOn, details: problem }} quiet={found.isQuiet} />
  if (!found.isQuiet) return <p class="notice alarm">{texts.nameAddress}</p>
  return (
    <>
      <p class="small">{texts.lateNeedsAddress}</p>
      <OwnAddresses opened={opened} of={[found]} />
    </>
  )
}

function chainsOf(found: Found): string {
  const [from = '', to = ''] = assetsOf(found).map((asset) => chainName(asset.split(':')[0] ?? ''))
  return texts.fromTo(from, to)
}

/** The status in the words of the swap page, or what the file says if the service does not answer. */
function statusOf({ record, isCurrent, saved }: Found): string {
  if (record !== null && isCurrent) return swapTexts.order.status[record.status] ?? texts.unknown
  return saved === null ? texts.unknown : texts.phases[saved.phase]
}

function needsAddress({ record }: Found): boolean {
  const chains = [record?.source_swap.chain, record?.destination_swap.chain]
  return chains.some((chain) => chain !== undefined && (addresses.value[chain] ?? '') === '')
}
