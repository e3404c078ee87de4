/** Offers some of the destination chain's coin with the payout, where the service gives it. */
import { swap } from '../../texts.ts'
import { symbolOf } from './catalog.ts'
import { gasOffer, to, wantsGas } from './form.ts'

export function GasChoice() {
  const [offer, asset] = [gasOffer.value, to.value]
  if (offer === null || asset === null) return null
  return (
    <label class="tick small">
      <input
        type="checkbox"
        checked={wantsGas.value}
        onChange={({ currentTarget }) => {
          wantsGas.value = currentTarget.checked
        }}
      />
      {swap.gas(`${offer.display} ${symbolOf(asset.chain.native_asset_id)}`, asset.chain.display)}
    </label>
  )
}
