/** Lists the wallets that can pay, or send a transaction, on the chain of an asset. */
import { Dialog } from '../../shared/dialog.tsx'
import { swap } from '../../texts.ts'
import type { Asset } from './catalog.ts'
import { choosePayer, type Payer } from './wallets.ts'

export function WalletDialog({
  asset,
  payers,
  onChoose,
  onClose,
}: {
  readonly asset: Asset
  readonly payers: readonly Payer[]
  onChoose?(): void
  onClose(): void
}) {
  return (
    <Dialog title={swap.wallet.title} onClose={onClose}>
      <ul class="assets">
        {payers.map((payer) => (
          <li key={payer.id}>
            <button
              type="button"
              class="asset"
              onClick={() => {
                choosePayer(asset, payer)
                onClose()
                onChoose?.()
              }}
            >
              {payer.kind === 'wallet' && payer.wallet.icon !== '' && <img src={payer.wallet.icon} alt="" width="36" height="36" />}
              <b>{payer.name}</b>
            </button>
          </li>
        ))}
      </ul>
      {payers.every(({ kind }) => kind === 'deposit') && <p class="soft">{swap.wallet.none}</p>}
    </Dialog>
  )
}
