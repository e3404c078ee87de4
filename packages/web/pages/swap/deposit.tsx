/** How to pay by hand: the amount, the address, and a QR code that holds both. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { plainAmount } from '../../shared/amount.ts'
import { CopyButton } from '../../shared/copy-button.tsx'
import { swap } from '../../texts.ts'
import { findAsset, symbolOf } from './catalog.ts'
import type { Payment } from './history.ts'
import { amountText } from './order-amounts.ts'

/** A QR code, drawn as one path. The library is loaded when the first one is shown. Modules around the code, which scanners need: ISO/IEC 18004. */
const QUIET_ZONE = 4

/** `rest` is the missing part of the payment; 0 if nothing was paid yet. */
export function Deposit({ payment, asset, rest }: { readonly payment: Payment; readonly asset: string; readonly rest: bigint }) {
  const amount = rest > 0n ? rest : BigInt(payment.amount)
  const exact = plainAmount(amount, findAsset(asset)?.decimals ?? 0)
  const chain = findAsset(asset)?.chain.display ?? asset.slice(0, asset.indexOf(':'))
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
          {rest > 0n && (
            <p class="soft small">
              {swap.order.arrived(amountText(asset, BigInt(payment.amount) - rest), amountText(asset, BigInt(payment.amount)))}
            </p>
          )}
          <CopyButton text={exact} label={swap.order.copyAmount} name={swap.order.amount} />
        </div>
        <div>
          <p class="soft small">{swap.order.depositTo(chain)}</p>
          <p>
            <code data-test="deposit-address">{payment.to}</code>
          </p>
          <CopyButton text={payment.to} label={swap.order.copyAddress} name={swap.order.address} />
        </div>
        <p class="small" data-test="deposit-only">
          {swap.order.depositOnly(symbolOf(asset), chain)}
        </p>
      </div>
    </section>
  )
}

function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const modules = useSignal<readonly (readonly boolean[])[]>([])
  useEffect(() => {
    void import('uqr').then(({ encode }) => {
      modules.value = encode(text, { border: QUIET_ZONE }).data
    })
  }, [text])
  const size = modules.value.length
  const path = modules.value.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <path d={path} fill="currentColor" />
    </svg>
  )
}
