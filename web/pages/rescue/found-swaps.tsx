/** The second step: the swaps of the phrase, the addresses that they need, and the search on the chains themselves. */
import { useEffect, useRef } from 'preact/hooks'
import { rescue as texts } from '../../texts.ts'
import { ActionButton, Outcome, useActions } from './action.tsx'
import { AddressField } from './address-field.tsx'
import { OnChains } from './on-chains.tsx'
import { chainsToName, type Opened, refresh } from './rescue.ts'
import { SwapCard } from './swap-card.tsx'

export function FoundSwaps({ opened }: { readonly opened: Opened }) {
  const { swaps, serviceProblem, tandem } = opened
  const headline = useRef<HTMLHeadingElement>(null)
  // Of another phrase, or for the first time: the reader goes on here.
  useEffect(() => headline.current?.focus(), [tandem])
  return (
    <section class="stack" aria-labelledby="found">
      <h2 id="found" tabIndex={-1} ref={headline}>
        {texts.found(swaps.length)}
      </h2>
      {serviceProblem !== null && <p class="notice alarm">{texts.serviceGone(serviceProblem)}</p>}
      {swaps.length === 0 && <p>{serviceProblem === null ? texts.noSwaps : texts.noSwapsAlone}</p>}
      <Addresses opened={opened} />
      <ul class="stack">
        {swaps.map((found) => (
          <SwapCard key={found.orderId} opened={opened} found={found} />
        ))}
      </ul>
      <OnChains opened={opened} />
    </section>
  )
}

function Addresses({ opened }: { readonly opened: Opened }) {
  const actions = useActions()
  const chains = chainsToName(opened)
  if (chains.length === 0) return null
  return (
    <div class="sheet stack swap">
      <h3>{texts.addresses}</h3>
      <p>{texts.addressesHint}</p>
      {chains.map((chain) => (
        <AddressField key={chain} chain={chain} actions={actions} />
      ))}
      <div class="row">
        <ActionButton
          actions={actions}
          text={texts.check}
          make={() => async (say) => {
            await refresh(opened.tandem)
            say('')
          }}
        />
      </div>
      <Outcome actions={actions} />
    </div>
  )
}
