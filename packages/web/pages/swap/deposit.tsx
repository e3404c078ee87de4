/** How to pay by hand: the amount, the address, and a QR code that holds both. */
import { plainAmount } from '../../shared/amount.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { swap } from '../../texts.ts'
import { findAsset } from './catalog.ts'
import type { Payment } from './history.ts'
import { amountText } from './order-amounts.ts'
import { QrCode } from './qr-code.tsx'

/** `rest`: what is missing of the payment; 0: nothing was paid yet. */
export function Deposit({ payment, asset, rest }: { readonly payment: Payment; readonly asset: string; readonly rest: bigint }) {
  const amount = rest > 0n ? rest : BigInt(payment.amount)
  const exact = plainAmount(amount, findAsset(asset)?.decimals ?? 0)
  const title = rest > 0n ? swap.order.restTitle : swap.order.depositTitle
  // BIP21. The address is the one that the SDK has verified.
  const uri = rest > 0n ? payment.uri.replace(/(?<=[?&]amount=)[^&]*/, exact) : payment.uri
  return (
    <section class="deposit" aria-label={title}>
      <QrCode text={uri} label={swap.order.depositQr} />
      <div class="stack">
        <div>
          <h2>{title}</h2>
          <p class="figure">{amountText(asset, amount)}</p>
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
