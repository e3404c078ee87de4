/** The list of assets with a search. */
import { useSignal } from '@preact/signals'
import { Dialog } from '../../shared/dialog.tsx'
import { CoinIcon } from '../../shared/icons.tsx'
import { swap } from '../../texts.ts'
import { type Asset, assets, iconPath } from './catalog.ts'
import { choose, type Side } from './form.ts'

export function AssetPicker({ side, onClose }: { readonly side: Side; onClose(): void }) {
  const search = useSignal('')
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  const matching = assets.value.filter((asset) => words.every((word) => textOf(asset).includes(word)))
  return (
    <Dialog title={swap.pickTitle(side === 'from' ? swap.pay : swap.get)} onClose={onClose}>
      <input
        class="input"
        type="search"
        placeholder={swap.search}
        aria-label={swap.search}
        value={search.value}
        onInput={({ currentTarget }) => {
          search.value = currentTarget.value
        }}
      />
      <ul class="assets">
        {matching.map((asset) => (
          <li key={asset.id}>
            <button
              type="button"
              class="asset"
              disabled={!asset.isActive}
              onClick={() => {
                choose(side, asset.id)
                onClose()
              }}
            >
              <AssetIcon asset={asset} />
              <span>
                <b>{asset.symbol}</b> <span class="soft">{asset.name}</span>
              </span>
              <span class="soft small">{asset.isActive ? asset.chain.display : swap.inactive}</span>
            </button>
          </li>
        ))}
      </ul>
      {matching.length === 0 && <p class="soft">{swap.noAsset}</p>}
    </Dialog>
  )
}

/** The coin, and its chain in the corner. */
export function AssetIcon({ asset }: { readonly asset: Asset }) {
  return (
    <span class="coin">
      <Picture path={asset.icon} size={36} />
      <Picture path={iconPath(asset.chain.icon)} size={16} />
    </span>
  )
}

/** If the service has no icon, a plain coin is drawn. */
function Picture({ path, size }: { readonly path: string; readonly size: number }) {
  const missing = useSignal('')
  if (missing.value === path) return <CoinIcon />
  return (
    <img
      src={path}
      alt=""
      width={size}
      height={size}
      onError={() => {
        missing.value = path
      }}
    />
  )
}

function textOf({ symbol, name, chain }: Asset): string {
  return `${symbol} ${name} ${chain.display}`.toLowerCase()
}
