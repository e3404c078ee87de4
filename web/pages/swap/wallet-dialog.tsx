/** The wallets of this browser that can pay. */
import { Dialog } from '../../shared/dialog.tsx'
import { swap } from '../../texts.ts'
import { connect, suitable } from './wallets.ts'

export function WalletDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title={swap.wallet.title} onClose={onClose}>
      <ul class="assets">
        {suitable.value.map((wallet) => (
          <li key={wallet.id}>
            <button
              type="button"
              class="asset"
              onClick={() => {
                connect(wallet)
                onClose()
              }}
            >
              {wallet.icon === '' ? <span class="coin" /> : <img src={wallet.icon} alt="" width="36" height="36" />}
              <b>{wallet.name}</b>
            </button>
          </li>
        ))}
      </ul>
      {suitable.value.length === 0 && <p class="soft">{swap.wallet.none}</p>}
    </Dialog>
  )
}
