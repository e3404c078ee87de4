/** The second step: the swaps of the phrase, first those that need the user, the addresses that they need, and the search on the chains themselves. */
import { useEffect, useRef } from 'preact/hooks'
import { Problem } from '../../shared/problem.tsx'
import { rescue as texts } from '../../texts.ts'
import { OnChains } from './on-chains.tsx'
import { OwnAddresses } from './own-addresses.tsx'
import { chainsToName, type Opened } from './rescue.ts'
import { SwapCard } from './swap-card.tsx'

export function FoundSwaps({ opened }: { readonly opened: Opened }) {
  const { swaps, serviceProblem, tandem } = opened
  const headline = useRef<HTMLHeadingElement>(null)
  // After a search with another phrase, or the first one, the reader continues here.
  useEffect(() => headline.current?.focus(), [tandem])
  const [open, finished] = [swaps.filter(({ isQuiet }) => !isQuiet), swaps.filter(({ isQuiet }) => isQuiet)]
  return (
    <section class="stack" aria-labelledby="found">
      <h2 id="found" tabIndex={-1} ref={headline}>
        {texts.found(swaps.length)}
      </h2>
      {serviceProblem !== null && <Problem of={{ ...serviceProblem, text: texts.serviceGone }} />}
      {swaps.length === 0 && <p>{serviceProblem === null ? texts.noSwaps : texts.noSwapsAlone}</p>}
      {swaps.length > 0 && open.length === 0 && <p>{texts.allFinished}</p>}
      {chainsToName(open).length > 0 && (
        <div class="sheet stack swap">
          <h3>{texts.addresses}</h3>
          <p>{texts.addressesHint}</p>
          <OwnAddresses opened={opened} of={open} />
        </div>
      )}
      <ul class="stack">
        {open.map((found) => (
          <SwapCard key={found.orderId} opened={opened} found={found} />
        ))}
      </ul>
      {finished.length > 0 && (
        <>
          <h3 class="soft">{texts.finished(finished.length)}</h3>
          <ul class="finished">
            {finished.map((found) => (
              <SwapCard key={found.orderId} opened={opened} found={found} />
            ))}
          </ul>
        </>
      )}
      <OnChains opened={opened} />
    </section>
  )
}
