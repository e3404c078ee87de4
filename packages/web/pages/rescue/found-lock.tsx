/** One lock that was found on a chain with accounts: what it is, and how it is taken. */
import { useSignal } from '@preact/signals'
import type { AssetFacts, FoundLock } from '@tandem/sdk'
import { now } from '../../shared/clock.ts'
import { Countdown } from '../../shared/countdown.tsx'
import { formatMoment } from '../../shared/moment.ts'
import { rescue as texts } from '../../texts.ts'
import { ActionButton, type Actions, Outcome, useActions } from './action.tsx'
import { AddressField } from './address-field.tsx'
import { amountText, chainName, factsOf } from './facts.ts'
import { MinimumField, minimumIn } from './minimum-field.tsx'
import type { Opened } from './rescue.ts'
import { settle } from './search-chains.ts'
import { WalletChoice } from './wallet-choice.tsx'

type Props = { readonly opened: Opened; readonly lock: FoundLock }

export function FoundLockLine({ opened, lock }: Props) {
  const actions = useActions()
  const facts = factsOf(lock.asset)
  const { terms, leg, state } = lock
  return (
    <li class="stack deposit">
      <h3>{texts.lock(amountText(lock.asset, terms.amount), chainName(lock.chain), leg === 'source' && lock.isYours !== false)}</h3>
      <dl class="leaders">
        <div>
          <dt>{leg === 'source' ? texts.lockFrom : texts.lockTo}</dt>
          <dd class="mono">{leg === 'source' ? terms.initiator : terms.redeemer}</dd>
        </div>
      </dl>
      {state !== 'open' && <p class="small soft">{texts.lockStates[state]}</p>}
      {state === 'open' && facts !== null && leg === 'source' && <Payment opened={opened} lock={lock} facts={facts} actions={actions} />}
      {state === 'open' && facts !== null && leg === 'destination' && (
        <Payout opened={opened} lock={lock} facts={facts} actions={actions} />
      )}
      <Outcome actions={actions} />
    </li>
  )
}

type Open = Props & { readonly facts: AssetFacts; readonly actions: Actions }

function Payment({ opened, lock, facts, actions }: Open) {
  const latest = lock.refundable?.latest ?? 0
  if (lock.isYours === false) return <p class="notice alarm">{texts.notYourPayment}</p>
  return (
    <>
      <p class="small soft">{texts.refundWhat(facts.chainName, true)}</p>
      {latest <= now.value ? (
        <p class="small">{texts.refundDue}</p>
      ) : (
        <p class="small">
          {texts.refundIn} <Countdown until={latest} />, {texts.refundAt(formatMoment(latest, now.value))}
        </p>
      )}
      <WalletChoice facts={facts} />
      <div class="row">
        <ActionButton actions={actions} text={texts.refund} make={() => settle(opened, lock, facts, null)} />
      </div>
    </>
  )
}

/** The user must enter again what was agreed: anybody can make a lock with the hash of the user's secret. */
function Payout({ opened, lock, facts, actions }: Open) {
  const typed = useSignal('')
  if (lock.isYours === false) return <p class="notice alarm">{texts.notYours}</p>
  if (lock.can === 'nothing') return <p class="notice alarm">{texts.lockTooLate}</p>
  if (lock.can === 'wait') return <p class="notice">{texts.lockWaits}</p>
  return (
    <>
      <p class="small soft">{texts.redeemWhat(facts.chainName, true)}</p>
      <AddressField chain={lock.chain} name={facts.chainName} actions={actions} />
      <MinimumField typed={typed} symbol={facts.symbol} hint={texts.minOnChain} />
      <WalletChoice facts={facts} />
      <div class="row">
        <ActionButton actions={actions} text={texts.redeem} make={() => settle(opened, lock, facts, minimumIn(typed, facts.decimals))} />
      </div>
    </>
  )
}
