/** The form: two amounts, who is paid, the quote, and one button that always says what is missing. */
import { useSignal } from '@preact/signals'
import { FlipIcon } from '../../shared/icons.tsx'
import { swap } from '../../texts.ts'
import { AddressField } from './address-field.tsx'
import { AmountRow } from './amount-row.tsx'
import {
  amount,
  flip,
  from,
  fromId,
  isAsking,
  quote,
  recipient,
  recipientCheck,
  refundAddress,
  refundCheck,
  requestOf,
  to,
  toId,
} from './form.ts'
import { isPutOff, isWritten } from './phrase.ts'
import { PhraseDialog } from './phrase-dialog.tsx'
import { balances, getCoins, setSolversRun, solversFailNext } from './play.ts'
import { QuoteLines } from './quote-lines.tsx'
import { showOrder } from './route.ts'
import { messageOf, startSwap } from './runner.ts'
import { openTandem } from './tandem.ts'
import { WalletDialog } from './wallet-dialog.tsx'
import { connected, openPayer, payer, suitable, takesDeposits } from './wallets.ts'

type Need = 'connecting' | 'amount' | 'asking' | 'none' | 'recipient' | 'refund' | 'wallet' | 'coins' | 'swap'

/** The first thing that is missing. */
function needOf(): Need {
  const asset = from.value
  if (asset === null || to.value === null) return 'connecting'
  if (payer.value === 'play' && balances.value.get(asset.id) === 0n) return 'coins'
  if (amount.value === null) return 'amount'
  if (quote.value === null) return isAsking.value ? 'asking' : 'none'
  if (payer.value === null) return 'wallet'
  if (recipientCheck.value?.address == null) return 'recipient'
  if (payer.value === 'deposit' && refundCheck.value?.address == null) return 'refund'
  return 'swap'
}

export function SwapForm() {
  const dialog = useSignal<'phrase' | 'wallet' | null>(null)
  const isWorking = useSignal(false)
  const problem = useSignal<string | null>(null)
  const need = needOf()
  const [source, destination] = [from.value, to.value]

  async function work(job: () => Promise<void>): Promise<void> {
    isWorking.value = true
    problem.value = null
    try {
      await job()
    } catch (error) {
      problem.value = messageOf(error)
    } finally {
      isWorking.value = false
    }
  }

  async function start(): Promise<void> {
    const [offer, address] = [quote.value, recipientCheck.value?.address]
    if (offer === null || address == null || source === null) return
    let orderId: string | null = null
    const wallet = await openPayer(source, () => orderId)
    const keeps = await (await openTandem()).keepsSecret(toId.value)
    showOrder(
      await startSwap(requestOf(offer, address, keeps ? 'client' : 'service'), wallet, async (id) => {
        orderId = id
        if (!solversFailNext.value) return
        solversFailNext.value = false
        await setSolversRun(false)
      }),
    )
  }

  async function press(): Promise<void> {
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
          <button type="button" class="flip" aria-label={swap.flip} onClick={flip}>
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
          {source !== null && payer.value === 'deposit' && (
            <AddressField
              key={`from ${fromId.value}`}
              label={swap.refundTo(source.chain.display)}
              value={refundAddress}
              verdict={refundCheck.value}
            />
          )}
          <QuoteLines />
          {problem.value !== null && (
            <p class="notice alarm" role="alert">
              {problem.value}
            </p>
          )}
          <button type="submit" class="button main" disabled={isWorking.value || !['wallet', 'coins', 'swap'].includes(need)}>
            {isWorking.value && need === 'swap'
              ? swap.button.working
              : need === 'coins'
                ? swap.button.coins(source?.symbol ?? '')
                : swap.button[need]}
          </button>
          <PaidWith
            onChange={() => {
              dialog.value = 'wallet'
            }}
          />
        </div>
      </form>
      {dialog.value === 'wallet' && <WalletDialog onClose={close} />}
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

function PaidWith({ onChange }: { onChange(): void }) {
  const asset = from.value
  if (asset === null || payer.value === null) return null
  const name = payer.value === 'wallet' ? (connected.value?.name ?? '') : payer.value === 'play' ? swap.wallet.play : swap.wallet.deposit
  return (
    <p class="small soft paid-with">
      {swap.wallet.paysWith(name)}
      {(suitable.value.length > 0 || !takesDeposits(asset)) && payer.value !== 'play' && (
        <button type="button" class="button plain small" onClick={onChange}>
          {swap.wallet.change}
        </button>
      )}
    </p>
  )
}
