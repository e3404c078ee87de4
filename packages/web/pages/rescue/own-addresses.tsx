/** The user's own addresses. Without them no secret is shown and nothing is taken for these swaps. */
import { rescue as texts } from '../../texts.ts'
import { ActionButton, Outcome, useActions } from './action.tsx'
import { AddressField } from './address-field.tsx'
import { chainsToName, type Found, type Opened, refresh } from './rescue.ts'

export function OwnAddresses({ opened, of }: { readonly opened: Opened; readonly of: readonly Found[] }) {
  const actions = useActions()
  return (
    <>
      {chainsToName(of).map((chain) => (
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
    </>
  )
}
