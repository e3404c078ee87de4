/** The second step: the swaps of the phrase, the addresses that they need, and the search on the chains alone. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type FoundDeposit, type FoundWallet, walletAddress } from '../../../sdk/src/index.ts'
import { rescue as texts } from '../../texts.ts'
import { ActionButton, Outcome, useActions } from './action.tsx'
import { amountText, chainName, factsOn } from './facts.ts'
import { type Act, addresses, chainsToName, deposits, lookForDeposits, type Opened, refresh, take } from './rescue.ts'
import { SwapCard } from './swap-card.tsx'
import { walletsOf } from './wallets.ts'

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
        <div class="field" key={chain}>
          <label for={`address-${chain}`}>{texts.addressOn(chainName(chain))}</label>
          <input
            id={`address-${chain}`}
            class="input mono"
            spellcheck={false}
            autocomplete="off"
            autocapitalize="none"
            value={addresses.value[chain] ?? ''}
            onInput={({ currentTarget }) => nameAddress(chain, currentTarget.value)}
          />
          {walletsOf(factsOn(chain)?.family ?? '').length > 0 && (
            <div class="row">
              {walletsOf(factsOn(chain)?.family ?? '').map((wallet) => (
                <ActionButton
                  key={wallet.id}
                  actions={actions}
                  text={texts.fromWallet(wallet.name)}
                  make={() => askAddress(chain, wallet)}
                />
              ))}
            </div>
          )}
        </div>
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

function nameAddress(chain: string, address: string): void {
  addresses.value = { ...addresses.value, [chain]: address.trim() }
}

function askAddress(chain: string, wallet: FoundWallet): Act {
  return async (say) => {
    nameAddress(chain, await walletAddress(await wallet.open(), chain))
    say('')
  }
}

/** With the phrase and a node alone. */
function OnChains({ opened }: { readonly opened: Opened }) {
  const actions = useActions()
  const solvers = useSignal('')
  return (
    <details class="sheet swap" open={opened.serviceProblem !== null && opened.swaps.length === 0}>
      <summary>{texts.onChains}</summary>
      <div class="stack">
        <p>{texts.onChainsHint}</p>
        <div class="field">
          <label for="solvers">{texts.solvers}</label>
          <textarea
            id="solvers"
            class="input mono"
            rows={2}
            spellcheck={false}
            value={solvers.value}
            onInput={({ currentTarget }) => {
              solvers.value = currentTarget.value
            }}
          />
        </div>
        <div class="row">
          <ActionButton
            actions={actions}
            text={texts.look}
            make={() => lookForDeposits(opened, solvers.value.split(/[\s,]+/).filter(Boolean))}
          />
        </div>
        <Outcome actions={actions} />
        <ul class="stack">
          {(deposits.value ?? []).map((deposit) => (
            <DepositLine key={`${deposit.chain} ${deposit.index} ${deposit.leg} ${deposit.solver}`} opened={opened} deposit={deposit} />
          ))}
        </ul>
      </div>
    </details>
  )
}

function DepositLine({ opened, deposit }: { readonly opened: Opened; readonly deposit: FoundDeposit }) {
  const actions = useActions()
  const to = useSignal('')
  const id = `to-${deposit.chain}-${deposit.index}-${deposit.leg}`
  return (
    <li class="stack deposit">
      <h3>{texts.deposit(amountText(deposit.asset, deposit.amount), chainName(deposit.chain), deposit.leg)}</h3>
      <div class="field">
        <label for={id}>{texts.addressOn(chainName(deposit.chain))}</label>
        <input
          id={id}
          class="input mono"
          spellcheck={false}
          value={to.value}
          onInput={({ currentTarget }) => {
            to.value = currentTarget.value.trim()
          }}
        />
      </div>
      <div class="row">
        <ActionButton
          actions={actions}
          text={deposit.leg === 'source' ? texts.refund : texts.redeem}
          make={() => take(opened, deposit, to.value)}
        />
      </div>
      <Outcome actions={actions} />
    </li>
  )
}
