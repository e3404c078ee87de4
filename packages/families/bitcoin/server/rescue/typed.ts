/** Deposits and fee rates as people type them after `tandem refund`. */
import type { SpendableDeposit } from '@tandem/chain-kit/port/spend.ts'

export function parseDeposit(text: string): SpendableDeposit {
  const match = /^([0-9a-fA-F]{64}):([0-9]{1,10}):([1-9][0-9]{0,18})$/.exec(text)
  if (match?.[1] === undefined || match[3] === undefined)
    throw new Error(`--deposit takes txid:vout:amount, the amount in the smallest unit, got "${text.slice(0, 100)}"`)
  return { id: `${match[1].toLowerCase()}:${Number(match[2])}`, amount: BigInt(match[3]) }
}

/** Typed in satoshis per vB with up to three decimals; the result is per 1000 vB. */
export function parseFeeRate(text: string): bigint {
  const match = /^([0-9]{1,6})(?:\.([0-9]{1,3}))?$/.exec(text)
  if (match?.[1] === undefined) throw new Error(`--fee-rate takes a number such as 5 or 2.5, got "${text.slice(0, 20)}"`)
  return BigInt(match[1]) * 1000n + BigInt((match[2] ?? '').padEnd(3, '0'))
}
