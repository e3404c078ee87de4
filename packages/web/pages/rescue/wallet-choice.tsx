/** Chooses the wallet of this browser that sends a transaction on a chain with accounts. */

import { type AssetFacts, discoverableFamilies } from '@tandem/sdk'
import { useId } from 'preact/hooks'
import { rescue as texts } from '../../texts.ts'
import { choose, chosenOf, walletsOf } from './wallets.ts'

export function WalletChoice({ facts: { family, chainName } }: { readonly facts: AssetFacts }) {
  const id = useId()
  const wallets = walletsOf(family)
  if (wallets.length === 0)
    return (
      <p class="notice small">
        {discoverableFamilies.includes(family) ? texts.noWallet(chainName) : texts.noStandard(chainName)}{' '}
        {location.protocol === 'file:' && texts.walletsInFiles}
      </p>
    )
  return (
    <div class="field">
      <label for={id}>{texts.walletOn(chainName)}</label>
      <select
        id={id}
        class="input"
        value={chosenOf(family)?.id ?? ''}
        onChange={({ currentTarget }) => choose(family, currentTarget.value)}
      >
        {wallets.length > 1 && <option value="">{texts.chooseWallet(chainName)}</option>}
        {wallets.map(({ id: wallet, name }) => (
          <option key={wallet} value={wallet}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
