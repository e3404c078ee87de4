/** Each swap of the demo is done through the public interface and checked by what the wallets hold afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedOrder, OrderRecord } from './client/api-client.ts'
import { progress } from './client/follow-forward.ts'
import { chainOf, type LocalClient } from './client/local-client.ts'
import type { StoryTeller, SwapReport } from './story-teller.ts'

export type DemoSwap = {
  readonly name: string
  readonly title: string
  readonly from: string
  readonly to: string
  run(client: LocalClient, teller: StoryTeller): Promise<SwapReport>
}

/** A network fee may take at most this, in sats. */
const MAX_FEE_SATS = 10_000n
const TIMEOUT_MS = 120_000

type Plan = {
  readonly name: string
  readonly title: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** The redeem's fee may take at most this out of the payout; it is 0 if the service pays it. */
  readonly payoutFee: bigint
  fund(client: LocalClient, order: CreatedOrder, from: string): Promise<string>
}

const completed: readonly Plan[] = [
  {
    name: 'bitcoin-to-evm',
    title: '1  BTC → WBTC on ethereum_localnet, by a plain deposit',
    from: 'bitcoin_regtest:btc',
    to: 'ethereum_localnet:wbtc',
    amount: 1_000_000n,
    payoutFee: 0n,
    fund: sendFunding,
  },
  {
    name: 'evm-to-bitcoin',
    title: '2  WBTC → BTC, gasless: the user signs, the service sends',
    from: 'ethereum_localnet:wbtc',
    to: 'bitcoin_regtest:btc',
    amount: 1_000_000n,
    payoutFee: MAX_FEE_SATS,
    fund: signFunding,
  },
  {
    name: 'evm-to-evm',
    title: '3  ETH on ethereum_localnet → USDC on arbitrum_localnet, by a sent transaction',
    from: 'ethereum_localnet:eth',
    to: 'arbitrum_localnet:usdc',
    amount: 250_000_000_000_000_000n,
    payoutFee: 0n,
    fund: sendFunding,
  },
  {
    name: 'solana-to-evm',
    title: '4  USDC on solana_localnet → USDC on arbitrum_localnet, gasless: the service pays fee and rent',
    from: 'solana_localnet:usdc',
    to: 'arbitrum_localnet:usdc',
    amount: 50_000_000n,
    payoutFee: 0n,
    fund: signFunding,
  },
  {
    name: 'starknet-to-bitcoin',
    title: '5  WBTC on starknet_localnet → BTC, gasless: the account approves once, then only signs',
    from: 'starknet_localnet:wbtc',
    to: 'bitcoin_regtest:btc',
    amount: 1_000_000n,
    payoutFee: MAX_FEE_SATS,
    fund: signFunding,
  },
  {
    name: 'sui-to-evm',
    title: '6  SUI → USDC on arbitrum_localnet, by a programmable transaction to which the wallet adds gas',
    from: 'sui_localnet:sui',
    to: 'arbitrum_localnet:usdc',
    amount: 5_000_000_000n,
    payoutFee: 0n,
    fund: sendFunding,
  },
  {
    name: 'xrpl-to-evm',
    title: '7  XRP → USDC on arbitrum_localnet, by an escrow of the XRP Ledger itself',
    from: 'xrpl_localnet:xrp',
    to: 'arbitrum_localnet:usdc',
    amount: 100_000_000n,
    payoutFee: 0n,
    fund: sendFunding,
  },
]

const neverFilled: Plan = {
  name: 'never-filled',
  title: '8  BTC → WBTC with the solver down: nobody fills it, the deposit is refunded',
  from: 'bitcoin_regtest:btc',
  to: 'ethereum_localnet:wbtc',
  amount: 500_000n,
  payoutFee: MAX_FEE_SATS,
  fund: sendFunding,
}

export const swaps: readonly DemoSwap[] = [
  ...completed.map((plan) => ({ ...plan, run: (client: LocalClient, teller: StoryTeller) => complete(plan, client, teller) })),
  { ...neverFilled, run: (client, teller) => refund(neverFilled, client, teller) },
]

export function chainsOf({ from, to }: DemoSwap): readonly string[] {
  return [chainOf(from), chainOf(to)]
}

async function sendFunding(client: LocalClient, order: CreatedOrder, from: string): Promise<string> {
  return (await client.walletFor(from)).fund(order)
}

async function signFunding(client: LocalClient, order: CreatedOrder, from: string): Promise<string> {
  const wallet = await client.walletFor(from)
  if (wallet.signInitiation === undefined) throw new Error(`wallets for ${from} cannot fund by a signature`)
  return client.api.initiate(order.order_id, await wallet.signInitiation(order))
}

async function complete(plan: Plan, client: LocalClient, teller: StoryTeller): Promise<SwapReport> {
  const before = { source: await client.balance(plan.from), destination: await client.balance(plan.to) }
  const order = await quoteAndCreate(plan, client, teller)
  const sourceTx = await plan.fund(client, order, plan.from)
  teller.step('fund', sourceTx)
  await reach(client, order.order_id, ['initiated'])
  teller.step('initiated', 'the source side is confirmed')
  const locked = await reach(client, order.order_id, ['counterparty_initiated'])
  teller.step(
    'counterparty_initiated',
    `the solver locked ${locked.destination_swap.amount} in ${short(locked.destination_swap.initiate_tx_hash)}`,
  )
  const paid = await reach(client, order.order_id, ['redeemed'])
  teller.step('redeemed', paid.destination_swap.redeem_tx_hash)
  const settled = await reach(client, order.order_id, ['counterparty_redeemed'])
  teller.step('counterparty_redeemed', `the solver is paid too, in ${short(settled.source_swap.redeem_tx_hash)}`)

  const received = (await client.balance(plan.to)) - before.destination
  const spent = before.source - (await client.balance(plan.from))
  const promised = BigInt(settled.destination_swap.amount)
  const ok = received >= promised - plan.payoutFee && received <= promised && spent >= plan.amount
  return {
    swap: plan.name,
    order_id: order.order_id,
    ok,
    status: settled.status,
    source_tx: sourceTx,
    destination_tx: settled.destination_swap.redeem_tx_hash,
    ...(!ok && { error: `spent ${spent} for ${plan.amount}, received ${received} of ${promised}` }),
    ms: teller.ms,
  }
}

async function refund(plan: Plan, client: LocalClient, teller: StoryTeller): Promise<SwapReport> {
  const before = await client.balance(plan.from)
  const order = await quoteAndCreate(plan, client, teller)
  await client.setSolverRunning(false)
  teller.step('solver_stopped', 'it does not come back')
  try {
    const sourceTx = await plan.fund(client, order, plan.from)
    teller.step('fund', sourceTx)
    const funded = await reach(client, order.order_id, ['initiated'])
    teller.step('initiated', 'nobody answers')
    await (await client.walletFor(plan.from)).passTime(funded.source_swap.timelock)
    teller.step('timelock', `${funded.source_swap.timelock} blocks pass`)
    const ended = await reach(client, order.order_id, ['refunded'])
    teller.step('refunded', ended.source_swap.refund_tx_hash)
    const lost = before - (await client.balance(plan.from))
    const ok = lost > 0n && lost <= plan.payoutFee && ended.destination_swap.initiate_tx_hash === ''
    return {
      swap: plan.name,
      order_id: order.order_id,
      ok,
      status: ended.status,
      source_tx: sourceTx,
      destination_tx: '',
      refund_tx: ended.source_swap.refund_tx_hash,
      ...(!ok && { error: `${lost} sats did not come back` }),
      ms: teller.ms,
    }
  } finally {
    await client.setSolverRunning(true)
  }
}

async function quoteAndCreate({ from, to, amount }: Plan, { api, ownerOf }: LocalClient, teller: StoryTeller): Promise<CreatedOrder> {
  const quote = await api.quote({ from, to, from_amount: amount.toString() })
  teller.step('quote', `${quote.source.display} → ${quote.destination.display}, by ${quote.solver_id}`)
  const order = await api.createOrder({
    source: { asset: from, owner: ownerOf(from), amount: quote.source.amount },
    destination: { asset: to, owner: ownerOf(to), amount: quote.destination.amount },
  })
  teller.step('create', `order ${short(order.order_id)}${order.to === undefined ? '' : `, deposit to ${order.to}`}`)
  return order
}

/** A late poll may see a later status than the awaited one. */
async function reach({ api }: LocalClient, orderId: string, statuses: readonly string[]): Promise<OrderRecord> {
  const target = progress.indexOf(statuses[0] ?? '')
  const end = Date.now() + TIMEOUT_MS
  for (;;) {
    const order = await api.order(orderId)
    if (statuses.includes(order.status) || (target >= 0 && progress.indexOf(order.status) >= target)) return order
    if (Date.now() > end) throw new Error(`order ${orderId} is "${order.status}", and was expected to be ${statuses.join(' or ')}`)
    await sleep(50)
  }
}

function short(hash: string): string {
  return hash.length > 18 ? `${hash.slice(0, 10)}…${hash.slice(-6)}` : hash
}
