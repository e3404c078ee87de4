/** What can be done about a swap: with the service while it answers, and always with the user's own key or wallet. */

import type { AssetFacts } from '@tandem/sdk'
import type { ComponentChildren } from 'preact'
import { mayCancel } from '../../shared/may-cancel.ts'
import { swap as swapTexts, rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { ActionButton, type Actions } from './action.tsx'
import { useToken } from './deposit-token.tsx'
import { DepositWay } from './deposit-way.tsx'
import { chainName, factsOf } from './facts.ts'
import { RefundTimeLine } from './refund-time.tsx'
import {
  assetsOf,
  type Found,
  isEnded,
  type Opened,
  redeemAlone,
  refundAlone,
  refundByService,
  refundNow,
  resume,
  sweep,
} from './rescue.ts'
import { WalletChoice } from './wallet-choice.tsx'

type Props = { readonly opened: Opened; readonly found: Found; readonly actions: Actions; readonly minToAmount: () => bigint | null }

export function Ways(props: Props) {
  const { opened, found } = props
  const hasService = opened.serviceProblem === null
  const isOver = isEnded(found)
  return (
    <>
      {hasService && !isOver && <WithService {...props} />}
      <details open={!hasService}>
        <summary>{texts.alone}</summary>
        <div class="stack">
          {!isOver && <Payout {...props} />}
          <Refund {...props} />
          <AtAddress {...props} />
          <Swept {...props} />
        </div>
      </details>
    </>
  )
}

function WithService({ opened, found, actions, minToAmount }: Props) {
  const status = found.record?.status ?? ''
  const isOwn = found.saved?.ownKeys.includes('source') ?? false
  return (
    <>
      <Way what={texts.continueWhat}>
        <ActionButton actions={actions} isMain text={texts.continue} make={() => resume(opened, found, minToAmount())} />
      </Way>
      {found.isCurrent && mayCancel(found.record, factsOf(assetsOf(found)[0])) && (
        <Way what={swapTexts.order.instantWhat}>
          <ActionButton actions={actions} text={swapTexts.order.instant} make={() => refundNow(opened, found)} />
        </Way>
      )}
      {found.isCurrent && !isOwn && status === 'awaiting_refund' && (
        <Way what={texts.refundByServiceWhat}>
          <ActionButton actions={actions} text={texts.refundByService} make={() => refundByService(opened, found)} />
        </Way>
      )}
    </>
  )
}

/** Takes the destination with the secret. */
function Payout({ opened, found, actions, minToAmount }: Props) {
  const { saved } = found
  if (saved === null || saved.secretHash === null) return null
  const [, asset] = assetsOf(found)
  const wallet = saved.ownKeys.includes('destination') ? null : factsOf(asset)
  return (
    <Way what={texts.redeemWhat(chainOf(asset), wallet !== null)} wallet={wallet}>
      <ActionButton actions={actions} text={texts.redeem} make={() => redeemAlone(opened, found, wallet, minToAmount())} />
    </Way>
  )
}

/** Takes the source back after its timelock. A swap that has ended has it too: deposits may come late, or twice. */
function Refund({ opened, found, actions }: Props) {
  const { saved } = found
  if (saved === null) return null
  const [asset] = assetsOf(found)
  const wallet = saved.ownKeys.includes('source') ? null : factsOf(asset)
  return (
    <Way what={texts.refundWhat(chainOf(asset), wallet !== null)} wallet={wallet}>
      <ActionButton actions={actions} text={texts.refund} make={(): Act => refundAlone(opened, found, wallet)} />
      <RefundTimeLine opened={opened} found={found} />
    </Way>
  )
}

function AtAddress({ opened, found, actions }: Props) {
  const token = useToken()
  const { saved, record, orderId } = found
  if (saved === null || record?.source_swap.deposit_address === undefined) return null
  const [asset] = assetsOf(found)
  const facts = factsOf(asset)
  if (facts === null) return null
  const at = { tandem: opened.tandem, of: orderId, facts, initiator: record.source_swap.initiator, deadline: record.deadline }
  return <DepositWay at={at} token={token} actions={actions} />
}

function Swept({ opened, found: { saved, ...found }, actions }: Props) {
  const to = saved?.refundTo ?? null
  if (saved === null || to === null || !saved.ownKeys.includes('source')) return null
  const [asset] = assetsOf({ saved, ...found })
  return (
    <Way what={texts.sweepWhat(to)}>
      <ActionButton actions={actions} text={texts.sweep} make={() => sweep(opened, chainId(asset), to)} />
    </Way>
  )
}

const chainId = (asset: string): string => asset.split(':')[0] ?? ''
const chainOf = (asset: string): string => chainName(chainId(asset))

function Way({
  what,
  wallet = null,
  children,
}: {
  readonly what: string
  /** The asset whose chain needs a wallet; null if none is needed. */
  readonly wallet?: AssetFacts | null
  readonly children: ComponentChildren
}) {
  return (
    <div class="way">
      <p class="small soft">{what}</p>
      {wallet !== null && <WalletChoice facts={wallet} />}
      <div class="row">{children}</div>
    </div>
  )
}
