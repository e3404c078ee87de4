/** Takes back what lies at a deposit address: it came late, twice or in part, by mistake, or the service does not lock it. */
import { rescue as texts } from '../../texts.ts'
import { ActionButton, type Actions } from './action.tsx'
import { type AtDeposit, giveBack, look } from './deposit-acts.ts'
import { chosenIn, type Token, TokenField } from './deposit-token.tsx'
import { WalletChoice } from './wallet-choice.tsx'

type Props = { readonly at: AtDeposit; readonly token: Token; readonly actions: Actions }

export function DepositWay({ at, token, actions }: Props) {
  const { facts, initiator } = at
  return (
    <div class="way">
      <p class="small soft">{texts.returnDepositWhat(facts.chainName, initiator)}</p>
      <TokenField token={token} facts={facts} />
      <WalletChoice facts={facts} />
      <div class="row">
        <ActionButton actions={actions} text={texts.returnDeposit} make={() => giveBack(at, chosenIn(token))} />
        <ActionButton actions={actions} text={texts.deposits.look} make={() => look(at, chosenIn(token))} />
      </div>
    </div>
  )
}
