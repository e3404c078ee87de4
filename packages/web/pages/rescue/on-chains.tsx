/** The search on the chains themselves, with only the phrase and nodes: what was found, and what can be done about it. */
import { useSignal } from '@preact/signals'
import type { FoundDeposit, SearchedChain } from '@tandem/sdk'
import { useId } from 'preact/hooks'
import { now } from '../../shared/clock.ts'
import { formatMoment } from '../../shared/moment.ts'
import { Details } from '../../shared/problem.tsx'
import { rescue as texts } from '../../texts.ts'
import { ActionButton, type Actions, Outcome, useActions } from './action.tsx'
import { AddressField } from './address-field.tsx'
import { amountText, chainName, factsOf } from './facts.ts'
import { FoundLockLine } from './found-lock.tsx'
import { MinimumField, minimumIn } from './minimum-field.tsx'
import type { Opened } from './rescue.ts'
import { onChains, searchChains, take } from './search-chains.ts'

const DAYS = '30'

export function OnChains({ opened }: { readonly opened: Opened }) {
  const actions = useActions()
  const solvers = useSignal('')
  const days = useSignal(DAYS)
  const found = onChains.value?.of === opened.tandem ? onChains.value : null
  return (
    <details class="sheet swap" open={opened.serviceProblem !== null && opened.swaps.length === 0}>
      <summary>{texts.onChains}</summary>
      <div class="stack">
        <p>{texts.onChainsHint}</p>
        <div class="field">
          <label for="days">{texts.days}</label>
          <input
            id="days"
            class="input mono"
            inputMode="numeric"
            value={days.value}
            onInput={({ currentTarget }) => {
              days.value = currentTarget.value
            }}
          />
        </div>
        <div class="field">
          <label for="solvers">{texts.solvers}</label>
          <textarea
            id="solvers"
            class="input mono"
            rows={2}
            spellcheck={false}
            aria-describedby="solvers-hint"
            value={solvers.value}
            onInput={({ currentTarget }) => {
              solvers.value = currentTarget.value
            }}
          />
          <p class="hint" id="solvers-hint">
            {texts.solversHint}
          </p>
        </div>
        <div class="row">
          <ActionButton
            actions={actions}
            text={texts.search}
            make={() => searchChains(opened, { solvers: solvers.value.split(/[\s,]+/).filter(Boolean), days: days.value })}
          />
        </div>
        <Outcome actions={actions} />
        <ul class="stack">
          {found?.searched.map((searched) => (
            <Searched key={searched.chain} searched={searched} actions={actions} />
          ))}
        </ul>
        <ul class="stack">
          {found?.locks.map((lock) => (
            <FoundLockLine key={[lock.asset, lock.index, ...Object.values(lock.terms)].join(' ')} opened={opened} lock={lock} />
          ))}
          {found?.deposits.map((deposit) => (
            <DepositLine key={`${deposit.chain} ${deposit.index} ${deposit.leg} ${deposit.solver}`} opened={opened} deposit={deposit} />
          ))}
        </ul>
      </div>
    </details>
  )
}

function Searched({ searched, actions }: { readonly searched: SearchedChain; readonly actions: Actions }) {
  const { chain, chainName: name, since, needsAddress, problem } = searched
  if (needsAddress)
    return (
      <li class="stack">
        <p>{texts.needsAddress(name)}</p>
        <AddressField chain={chain} name={name} actions={actions} />
      </li>
    )
  if (problem !== null)
    return (
      <li class="small">
        <p class="wrong">{texts.notSearched(name)}</p>
        <Details text={problem} />
      </li>
    )
  return <li class="small soft">{texts.searched(name, since === null ? null : formatMoment(since, now.value))}</li>
}

function DepositLine({ opened, deposit }: { readonly opened: Opened; readonly deposit: FoundDeposit }) {
  const actions = useActions()
  const to = useSignal('')
  const typed = useSignal('')
  const id = useId()
  const { leg, asset } = deposit
  const facts = factsOf(asset)
  return (
    <li class="stack deposit">
      <h3>{texts.deposit(amountText(asset, deposit.amount), chainName(deposit.chain), leg)}</h3>
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
      {leg === 'destination' && <MinimumField typed={typed} symbol={facts?.symbol ?? asset} hint={texts.minOnChain} />}
      <div class="row">
        <ActionButton
          actions={actions}
          text={leg === 'source' ? texts.refund : texts.redeem}
          make={() => take(opened, deposit, to.value, leg === 'source' ? null : minimumIn(typed, facts?.decimals ?? 0))}
        />
      </div>
      <p class="hint">{texts.pressAgain}</p>
      <Outcome actions={actions} />
    </li>
  )
}
