/** The form: two amounts, who is paid, the quote, and one button that always says what is missing. */
import { useSignal } from '@preact/signals'
import type { Quote } from '@tandem/sdk'
import { formatAmount } from '../../shared/amount.ts'
import { type Explanation, withDetails } from '../../shared/explain.ts'
import { FlipIcon } from '../../shared/icons.tsx'
import { Problem } from '../../shared/problem.tsx'
import { swap } from '../../texts.ts'
import { AddressField } from './address-field.tsx'
import { AmountRow } from './amount-row.tsx'
import { shortage } from './balance.ts'
import { explainError, isPaidAtHtlc } from './catalog.ts'
import {
  amount,
  flip,
  freshQuote,
  from,
  fromId,
  isAsking,
  isPriceMoved,
  limit,
  quote,
  quoteRefusal,
  recipient,
  recipientCheck,
  refundAddress,
  refundCheck,
  renewQuote,
  requestOf,
  to,
  toId,
} from './form.ts'
import { GasChoice } from './gas-choice.tsx'
import { isPutOff, isWritten } from './phrase.ts'
import { PhraseDialog } from './phrase-dialog.tsx'
import { balances, getCoins, setSolversRun, solversFailNext } from './play.ts'
import { QuoteLines, Renewed } from './quote-lines.tsx'
import { showOrder } from './route.ts'
import { startSwap } from './runner.ts'
import { openReader, openTandem } from './tandem.ts'
import { WalletDialog } from './wallet-dialog.tsx'
import { openPayer, payer, payersOf } from './wallets.ts'

type Need = 'connecting' | 'amount' | 'limit' | 'funds' | 'asking' | 'none' | 'recipient' | 'refund' | 'wallet' | 'coins' | 'swap'

/** The first thing that is missing. */
function needOf(): Need {
  const asset = from.value
  if (asset === null || to.value === null) return 'connecting'
  const kind = payer.value?.kind
  if (kind === 'play' && balances.value.get(asset.id) === 0n) return 'coins'
  if (amount.value === null) return 'amount'
  if (limit.value !== null) return 'limit'
  if (shortage.value !== null) return 'funds'
  // A quote of another amount, or one that has expired, is not on offer.
  if (isAsking.value || (quote.value !== null && freshQuote.value === null)) return 'asking'
  if (quote.value === null) return 'none'
  if (kind === undefined) return 'wallet'
  if (recipientCheck.value?.address == null) return 'recipient'
  if (kind === 'deposit' && refundCheck.value?.address == null) return 'refund'
  return 'swap'
}

export function SwapForm() {
  const dialog = useSignal<'phrase' | 'wallet' | null>(null)
  /** The quote that the user saw when they pressed the button: its limit counts, even if the price changes while they write down the phrase. */
  const agreed = useSignal<Quote | null>(null)
  const isWorking = useSignal(false)
  const problem = useSignal<Explanation | null>(null)
  const need = needOf()
  const [source, destination] = [from.value, to.value]

  async function work(job: () => Promise<void>): Promise<void> {
    isWorking.value = true
    problem.value = null
    try {
      await job()
    } catch (error) {
      problem.value = isPriceMoved(error) ? withDetails(swap.priceMoved, null) : explainError(error)
      if (isPriceMoved(error)) renewQuote()
    } finally {
      isWorking.value = false
    }
  }

  async function start(): Promise<void> {
    const [offer, address] = [agreed.value, recipientCheck.value?.address]
    if (offer === null || address == null || source === null) return
    let orderId: string | null = null
    const wallet = await openPayer(source, () => orderId)
    const keeps = await openReader().keepsSecret(toId.value)
    const request = requestOf(offer, address, keeps ? 'client' : 'service')
    showOrder(
      await startSwap(payer.value?.kind === 'deposit' ? { ...request, deposit: 'address' } : request, wallet, async (id) => {
        orderId = id
        if (!solversFailNext.value) return
        solversFailNext.value = false
        await setSolversRun(false)
      }),
    )
  }

  async function press(): Promise<void> {
    agreed.value = freshQuote.value
    if (need === 'wallet') dialog.value = 'wallet'
    else if (need === 'coins' && source !== null) await work(() => getCoins(source))
    else if (need === 'swap' && !isWritten.value && !isPutOff.value) {
      await openTandem()
      dialog.value = 'phrase'
    } else if (need === 'swap') await work(start)
  }

  const close = () => {
    dialog.value = null
  }
  return (
    <>
      <form
        class="sheet slip"
        onSubmit={(event) => {
          event.preventDefault()
          void press()
        }}
      >
        <AmountRow side="from" />
        <div class="crease">
          <button type="button" class="flip" aria-label={swap.flip} disabled={source === null || destination === null} onClick={flip}>
            <FlipIcon />
          </button>
        </div>
        <AmountRow side="to" />
        <div class="slip-body stack">
          {destination !== null && (
            <AddressField
              key={`to ${toId.value}`}
              label={swap.recipient(destination.chain.display)}
              value={recipient}
              verdict={recipientCheck.value}
            />
          )}
          <GasChoice />
          {source !== null && payer.value?.kind === 'deposit' && (
            <AddressField
              key={`from ${fromId.value}`}
              label={(isPaidAtHtlc(source.chain) ? swap.refundTo : swap.refundToOwn)(source.chain.display)}
              value={refundAddress}
              verdict={refundCheck.value}
            />
          )}
          <QuoteLines />
          <Renewed />
          {problem.value !== null && <Problem of={problem.value} />}
          <button type="submit" class="button main" disabled={isWorking.value || !['wallet', 'coins', 'swap'].includes(need)}>
            {isWorking.value && need === 'swap' ? swap.button.working : buttonText(need)}
          </button>
          <PaidWith
            onChange={() => {
              dialog.value = 'wallet'
            }}
          />
        </div>
      </form>
      {dialog.value === 'wallet' && source !== null && <WalletDialog asset={source} payers={payersOf(source)} onClose={close} />}
      {dialog.value === 'phrase' && (
        <PhraseDialog
          onClose={close}
          onDone={() => {
            close()
            void work(start)
          }}
        />
      )}
    </>
  )
}

/** Says what to do or to change before the swap can be made. */
function buttonText(need: Need): string {
  if (need === 'coins') return swap.button.coins(from.value?.symbol ?? '')
  if (need === 'none') return swap.button.change[quoteRefusal.value ?? ''] ?? swap.button.none
  if (need === 'funds') return swap.button.funds(from.value?.symbol ?? '')
  if (need !== 'limit') return swap.button[need]
  if (limit.value === null) return swap.button.amount
  const { kind, amount: bound, asset } = limit.value
  return swap.button[kind](`${formatAmount(bound, asset.decimals)} ${asset.symbol}`)
}

function PaidWith({ onChange }: { onChange(): void }) {
  const [asset, { value }] = [from.value, payer]
  if (asset === null || value === null) return null
  return (
    <p class="small soft paid-with">
      {swap.wallet.paysWith(value.name)}{' '}
      {payersOf(asset).length > 1 && (
        <button type="button" class="button plain small" onClick={onChange}>
          {swap.wallet.change}
        </button>
      )}
    </p>
  )
}
