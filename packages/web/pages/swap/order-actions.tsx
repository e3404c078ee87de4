/** What the user can do about an order at this moment. */
import { useSignal } from '@preact/signals'
import type { OrderRecord } from '@tandem/sdk'
import { CopyButton } from '../../shared/copy-button.tsx'
import type { Explanation } from '../../shared/explain.ts'
import { Details, Problem } from '../../shared/problem.tsx'
import { swap } from '../../texts.ts'
import { Cancel } from './cancel.tsx'
import { explainError, findAsset, findChain, isPaidAtHtlc } from './catalog.ts'
import { findEntry } from './history.ts'
import { passTime, setSolversRun, solversRun } from './play.ts'
import { detailsOf } from './reasons.ts'
import { reportOf } from './report.ts'
import { followOrder, isPaying, liveOf, payOrder, redeemBy } from './runner.ts'
import { settings } from './settings.ts'
import { openTandem } from './tandem.ts'
import { WalletDialog } from './wallet-dialog.tsx'
import { openPayer, openSender, sendersOf } from './wallets.ts'

export function OrderActions({ record }: { readonly record: OrderRecord }) {
  const isWorking = useSignal(false)
  const problem = useSignal<Explanation | null>(null)
  const isChoosing = useSignal(false)
  const { order_id: orderId, status, next_action: next, source_swap: source } = record
  const entry = findEntry(orderId)
  const isOwn = entry !== null
  const isUnpaid = isOwn && status === 'created' && next?.who === 'user' && entry.payment === null && entry.isPaid !== true
  const asset = findAsset(source.asset)
  // Where the HTLC is an address, the user's own key refunds, through a node of this page.
  const hasOwnKey = settings.value?.nodes[source.chain] !== undefined && asset !== null && isPaidAtHtlc(asset.chain)
  const paidIn = findAsset(record.destination_swap.asset)

  function act(job: () => Promise<unknown>): () => void {
    return () => {
      isWorking.value = true
      problem.value = null
      void job()
        .then(() => followOrder(orderId))
        .catch((error: unknown) => {
          problem.value = explainError(error)
        })
        .finally(() => {
          isWorking.value = false
        })
    }
  }

  const pay = async () => asset !== null && payOrder(orderId, await openPayer(asset, () => orderId), asset.isToken)
  const redeem = async () => {
    if (paidIn !== null) await redeemBy(orderId, await openSender(paidIn))
  }
  const buttons = [
    ...(isUnpaid && !isPaying(orderId) ? [{ text: swap.order.payAgain, what: '', job: pay }] : []),
    ...(isOwn && status === 'awaiting_refund'
      ? [
          {
            text: swap.order.refundNow,
            what: hasOwnKey ? swap.order.refundWhat : swap.order.refundByService,
            job: async () => (await openTandem()).refund(orderId),
          },
        ]
      : []),
  ]
  return (
    <div class="stack">
      {isOwn && paidIn !== null && liveOf(orderId).isUnredeemed && (
        <div class="notice alarm stack">
          <p role="alert">{swap.order.unredeemed(paidIn.chain.display)}</p>
          <p class="row">
            <button
              type="button"
              class="button"
              disabled={isWorking.value}
              onClick={() => {
                if (sendersOf(paidIn).length === 1) act(redeem)()
                else isChoosing.value = true
              }}
            >
              {swap.order.redeemOwn}
            </button>
          </p>
        </div>
      )}
      {isChoosing.value && paidIn !== null && (
        <WalletDialog
          asset={paidIn}
          payers={sendersOf(paidIn)}
          onChoose={act(redeem)}
          onClose={() => {
            isChoosing.value = false
          }}
        />
      )}
      {buttons.map(({ text, what, job }) => (
        <div key={text} class="action">
          <button type="button" class="button" disabled={isWorking.value} onClick={act(job)}>
            {text}
          </button>
          <span class="small soft">{what}</span>
        </div>
      ))}
      {isOwn && <Cancel record={record} />}
      <PlayActions record={record} act={act} isWorking={isWorking.value} />
      <Details text={detailsOf(record)} />
      {problem.value !== null && <Problem of={problem.value} />}
      <p class="row small">
        <CopyButton text={`${location.origin}/?order=${orderId}`} label={swap.order.link} name={swap.order.link} />
        <CopyButton
          text={reportOf(orderId, liveOf(orderId))}
          label={swap.order.report}
          name={swap.order.report}
          said={swap.order.reported}
        />
      </p>
    </div>
  )
}

/**
 * Starts the solvers of the local network again, and lets time pass on its chains. It does so only on chains whose clock
 * counts blocks: one whose clock runs ahead would refuse later swaps.
 */
function PlayActions({
  record,
  act,
  isWorking,
}: {
  readonly record: OrderRecord
  readonly isWorking: boolean
  act(job: () => Promise<unknown>): () => void
}) {
  const { status, source_swap: source } = record
  if (settings.value?.play == null) return null
  const unit = findChain(source.chain)?.timelock_unit ?? ''
  const isPaid = ['initiated', 'awaiting_refund'].includes(status)
  return (
    <>
      {!solversRun.value && (
        <p class="notice">
          {swap.play.stopped}{' '}
          <button type="button" class="button plain" disabled={isWorking} onClick={act(() => setSolversRun(true))}>
            {swap.play.start}
          </button>
        </p>
      )}
      {!solversRun.value && isPaid && unit === 'blocks' && source.refund_tx_hash === '' && (
        <button type="button" class="button" disabled={isWorking} onClick={act(() => passTime(source.chain, source.timelock))}>
          {swap.play.time(source.timelock, unit)}
        </button>
      )}
    </>
  )
}
