/** The user's own address on one chain: typed, or from a wallet of this browser. */

import { type FoundWallet, walletAddress } from '@tandem/sdk'
import { useId } from 'preact/hooks'
import { rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { ActionButton, type Actions } from './action.tsx'
import { chainName, factsOn } from './facts.ts'
import { pinnedRegistry } from './registry.ts'
import { addresses } from './rescue.ts'
import { walletsOf } from './wallets.ts'

type Props = { readonly chain: string /** People read this name. */; readonly name?: string; readonly actions: Actions }

export function AddressField({ chain, name = chainName(chain), actions }: Props) {
  const id = useId()
  const wallets = walletsOf(factsOn(chain)?.family ?? '')
  return (
    <div class="field">
      <label for={id}>{texts.addressOn(name)}</label>
      <input
        id={id}
        class="input mono"
        spellcheck={false}
        autocomplete="off"
        autocapitalize="none"
        value={addresses.value[chain] ?? ''}
        onInput={({ currentTarget }) => nameAddress(chain, currentTarget.value)}
      />
      {wallets.length > 0 && (
        <div class="row">
          {wallets.map((wallet) => (
            <ActionButton key={wallet.id} actions={actions} text={texts.fromWallet(wallet.name)} make={() => askAddress(chain, wallet)} />
          ))}
        </div>
      )}
    </div>
  )
}

function nameAddress(chain: string, address: string): void {
  addresses.value = { ...addresses.value, [chain]: address.trim() }
}

function askAddress(chain: string, wallet: FoundWallet): Act {
  return async (say) => {
    nameAddress(chain, await walletAddress(await wallet.open(), chain, pinnedRegistry()))
    say('')
  }
}
