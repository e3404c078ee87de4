/** A deposit address whose refund package was opened: what it is for, and how its money is taken back or locked. */
import { useEffect, useRef } from 'preact/hooks'
import { now } from '../../shared/clock.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { formatMoment } from '../../shared/moment.ts'
import { rescue as texts } from '../../texts.ts'
import { ActionButton, Outcome, useActions } from './action.tsx'
import { lock, look } from './deposit-acts.ts'
import { useToken } from './deposit-token.tsx'
import { DepositWay } from './deposit-way.tsx'
import { amountText } from './facts.ts'
import type { OpenedPackage } from './open-package.ts'

export function PackageCard({ opened }: { readonly opened: OpenedPackage }) {
  const { terms, facts } = opened
  const actions = useActions()
  const token = useToken()
  const headline = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    headline.current?.focus()
    void actions.run(() => look(opened, undefined))
  }, [opened])
  return (
    <section class="sheet stack swap" aria-labelledby="package">
      <h2 id="package" tabIndex={-1} ref={headline}>
        {texts.package.found(facts.chainName)}
      </h2>
      <dl class="leaders">
        <div>
          <dt>{texts.package.address}</dt>
          <dd>
            <span class="mono">{terms.address}</span>
            <CopyButton text={terms.address} name={texts.package.address} />
          </dd>
        </div>
        <div>
          <dt>{texts.package.owner}</dt>
          <dd class="mono">{terms.initiator}</dd>
        </div>
        <div>
          <dt>{texts.package.amount}</dt>
          <dd>{amountText(terms.asset, terms.amount)}</dd>
        </div>
        <div>
          <dt>{texts.package.deadline}</dt>
          <dd>{formatMoment(opened.deadline, now.value)}</dd>
        </div>
      </dl>
      <DepositWay at={opened} token={token} actions={actions} />
      {opened.deadline > now.value && (
        <div class="way">
          <p class="small soft">{texts.package.lockWhat(amountText(terms.asset, terms.amount))}</p>
          <div class="row">
            <ActionButton actions={actions} text={texts.package.lock} make={() => lock(opened, terms.amount)} />
          </div>
        </div>
      )}
      <Outcome actions={actions} />
    </section>
  )
}
