/** What a transfer costs, and which of its recorded payments is in a block. */
import { bytesToHex } from '@noble/hashes/utils.js'
import type { TransferOutcome } from '@tandem/chain-kit/port/abilities/transfer.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { BitcoinNetwork } from '../../terms/networks.ts'
import { scriptOfAddress } from '../../terms/script/address.ts'
import { WALLET_INPUT_VSIZE } from '../../terms/script/weight.ts'
import { type FeeRate, feeOf } from '../../terms/wallet/fees.ts'
import { byAmount } from '../../terms/wallet/sign.ts'
import type { BitcoinBackend, Coin } from '../nodes/backend.ts'
import { parseTransaction } from '../script/transaction.ts'
import { MAX_COINS } from './coin-selection.ts'

/** A transaction without its inputs: with an output of the longest kind, and change. */
const OUTPUTS_VSIZE = 90n

/** All payments of a transfer share coins, so at most one is mined. If none is, another one of them can still be: the next execution pays then. */
export async function transferOutcome(
  { network, backend }: { readonly network: BitcoinNetwork; readonly backend: Pick<BitcoinBackend, 'spenderOf' | 'tip'> },
  recipient: string,
  attempts: readonly Attempt[],
): Promise<TransferOutcome> {
  const script = bytesToHex(scriptOfAddress(recipient, network))
  const payments = attempts.filter(({ raw }) => parseTransaction(raw).outputs.some((output) => bytesToHex(output.script) === script))
  const since = payments[0]?.at ?? 0n
  const { height: tip } = await backend.tip()
  for (const coin of new Set(payments.flatMap(({ slots }) => slots))) {
    const spender = await backend.spenderOf(coin, since)
    if (spender === null || spender.confirmations === 0n || !payments.some(({ tx }) => tx === spender.txid)) continue
    return { kind: 'paid', tx: spender.txid, height: tip - spender.confirmations + 1n }
  }
  return { kind: 'pending' }
}

/** Coins that cost more to spend than they are worth, or are too many for one transaction, stay behind. */
export function transferCost(coins: readonly Coin[], amount: bigint, rate: FeeRate): bigint {
  const inputFee = feeOf(WALLET_INPUT_VSIZE, rate)
  const useful = coins
    .filter((coin) => coin.amount > inputFee)
    .sort(byAmount)
    .slice(-MAX_COINS)
    .toReversed()
  let [paid, count] = [0n, 0n]
  for (const coin of useful) {
    if (paid >= amount + inputFee * count) break
    paid += coin.amount
    count += 1n
  }
  const fee = feeOf(OUTPUTS_VSIZE + WALLET_INPUT_VSIZE * count, rate)
  const total = (some: readonly Coin[]) => some.reduce((sum, coin) => sum + coin.amount, 0n)
  return fee + total(coins) - total(useful)
}
