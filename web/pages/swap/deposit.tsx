/** How to pay by hand: the amount, the address, and a QR code that holds both. */
import { plainAmount } from '../../shared/amount.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { swap } from '../../texts.ts'
import { findAsset } from './catalog.ts'
import type { Payment } from './history.ts'
import { QrCode } from './qr-code.tsx'
import { amountText } from './timeline.tsx'

export function Deposit({ payment, asset }: { readonly payment: Payment; readonly asset: string }) {
  const exact = plainAmount(BigInt(payment.amount), findAsset(asset)?.decimals ?? 0)
  return (
    <section class="deposit" aria-label={swap.order.depositTitle}>
      <QrCode text={payment.uri} label={swap.order.depositQr} />
      <div class="stack">
        <div>
          <h2>{swap.order.depositTitle}</h2>
          <p class="figure">{amountText(asset, payment.amount)}</p>
          <CopyButton text={exact} label={swap.order.copyAmount} name={swap.order.amount} />
        </div>
        <div>
          <p class="soft small">{swap.order.depositTo}</p>
          <p>
            <code data-test="deposit-address">{payment.to}</code>
          </p>
          <CopyButton text={payment.to} label={swap.order.copyAddress} name={swap.order.address} />
        </div>
      </div>
    </section>
  )
}
