/** The four swaps of the demo, each done through the public interface and checked by what the wallets hold afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatedOrder, OrderRecord } from './client/api-client.ts'
import type { Stage } from './stage.ts'
import type { StoryTeller, SwapReport } from './story-teller.ts'

export type DemoSwap = {
  readonly name: string
  readonly title: string
  run(stage: Stage, teller: StoryTeller): Promise<SwapReport>
}

/** What a network fee may take at most, in sats. */
const MOST_FEE_SATS = 10_000n
const PATIENCE_MS = 120_000

export const swaps: readonly DemoSwap[] = [
  {
    name: 'bitcoin-to-evm',
    title: '1  BTC → WBTC on ethereum_localnet, by a plain deposit',
    run: (stage, teller) =>
      complete('bitcoin-to-evm', stage, teller, {
        from: 'bitcoin_regtest:btc',
        to: 'ethereum_localnet:wbtc',
        amount: 1_000_000n,
        fund: (order) => stage.bitcoin.pay(order.to ?? '', BigInt(order.amount ?? '0')),
      }),
  },
  {
    name: 'evm-to-bitcoin',
    title: '2  WBTC → BTC, gasless: the user signs, the service sends',
    async run(stage, teller) {
      const asset = 'ethereum_localnet:wbtc'
      const { token, htlc } = stage.contractsOf(asset)
      await stage.evm.ethereum_localnet.approve(token, htlc, 2n ** 256n - 1n)
      teller.step('approve', 'once for all swaps of this token')
      return complete('evm-to-bitcoin', stage, teller, {
        from: asset,
        to: 'bitcoin_regtest:btc',
        amount: 1_000_000n,
        fund: async (order) => stage.api.initiate(order.order_id, await stage.evm.ethereum_localnet.signTypedData(order.typed_data ?? {})),
      })
    },
  },
  {
    name: 'evm-to-evm',
    title: '3  ETH on ethereum_localnet → USDC on arbitrum_localnet, by a sent transaction',
    run: (stage, teller) =>
      complete('evm-to-evm', stage, teller, {
        from: 'ethereum_localnet:eth',
        to: 'arbitrum_localnet:usdc',
        amount: 250_000_000_000_000_000n,
        async fund(order) {
          if (order.initiate_transaction === undefined) throw new Error('the order names no transaction to send')
          return stage.evm.ethereum_localnet.send(order.initiate_transaction)
        },
      }),
  },
  { name: 'never-filled', title: '4  BTC → WBTC with the solver gone: nobody fills it, the deposit comes back', run: refunded },
]

type Plan = {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  fund(order: CreatedOrder): Promise<string>
}

async function complete(name: string, stage: Stage, teller: StoryTeller, plan: Plan): Promise<SwapReport> {
  const before = { source: await stage.balance(plan.from), destination: await stage.balance(plan.to) }
  const order = await quoteAndCreate(stage, teller, plan)
  const sourceTx = await plan.fund(order)
  teller.step('fund', sourceTx)
  await reach(stage, order.order_id, ['initiated'])
  teller.step('initiated', 'the source side is confirmed')
  const locked = await reach(stage, order.order_id, ['counterparty_initiated'])
  teller.step(
    'counterparty_initiated',
    `the solver locked ${locked.destination_swap.amount} in ${short(locked.destination_swap.initiate_tx_hash)}`,
  )
  const paid = await reach(stage, order.order_id, ['redeemed'])
  teller.step('redeemed', paid.destination_swap.redeem_tx_hash)
  const settled = await reach(stage, order.order_id, ['counterparty_redeemed'])
  teller.step('counterparty_redeemed', `the solver is paid too, in ${short(settled.source_swap.redeem_tx_hash)}`)

  const received = (await stage.balance(plan.to)) - before.destination
  const spent = before.source - (await stage.balance(plan.from))
  const promised = BigInt(settled.destination_swap.amount)
  const least = /^(bitcoin|litecoin)_/.test(plan.to) ? promised - MOST_FEE_SATS : promised
  const ok = received >= least && received <= promised && spent >= plan.amount
  return {
    swap: name,
    order_id: order.order_id,
    ok,
    status: settled.status,
    source_tx: sourceTx,
    destination_tx: settled.destination_swap.redeem_tx_hash,
    ...(!ok && { error: `spent ${spent} for ${plan.amount}, received ${received} of ${promised}` }),
    ms: teller.ms,
  }
}

async function refunded(stage: Stage, teller: StoryTeller): Promise<SwapReport> {
  const plan = { from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc', amount: 500_000n }
  const before = await stage.balance(plan.from)
  const order = await quoteAndCreate(stage, teller, plan)
  await stage.setSolverRunning(false)
  teller.step('solver_stopped', 'and it stays so')
  try {
    const sourceTx = await stage.bitcoin.pay(order.to ?? '', plan.amount)
    teller.step('fund', sourceTx)
    const funded = await reach(stage, order.order_id, ['initiated'])
    teller.step('initiated', 'nobody answers')
    await stage.mine('bitcoin_regtest', funded.source_swap.timelock)
    teller.step('timelock', `${funded.source_swap.timelock} blocks pass`)
    const ended = await reach(stage, order.order_id, ['refunded'])
    teller.step('refunded', ended.source_swap.refund_tx_hash)
    const lost = before - (await stage.balance(plan.from))
    const ok = lost > 0n && lost <= MOST_FEE_SATS && ended.destination_swap.initiate_tx_hash === ''
    return {
      swap: 'never-filled',
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
    await stage.setSolverRunning(true)
  }
}

async function quoteAndCreate(stage: Stage, teller: StoryTeller, plan: Pick<Plan, 'from' | 'to' | 'amount'>): Promise<CreatedOrder> {
  const quote = await stage.api.quote({ from: plan.from, to: plan.to, from_amount: plan.amount.toString() })
  teller.step('quote', `${quote.source.display} → ${quote.destination.display}, by ${quote.solver_id}`)
  const order = await stage.api.createOrder({
    source: { asset: plan.from, owner: stage.ownerOf(plan.from), amount: quote.source.amount },
    destination: { asset: plan.to, owner: stage.ownerOf(plan.to), amount: quote.destination.amount },
  })
  teller.step('create', `order ${short(order.order_id)}${order.to === undefined ? '' : `, deposit to ${order.to}`}`)
  return order
}

/** Statuses in the order they are passed, so that a step seen too late still counts. */
const FORWARD = [
  'initiated',
  'counterparty_initiate_detected',
  'counterparty_initiated',
  'redeem_detected',
  'redeemed',
  'counterparty_redeemed',
]

async function reach(stage: Stage, orderId: string, statuses: readonly string[]): Promise<OrderRecord> {
  const target = FORWARD.indexOf(statuses[0] ?? '')
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const order = await stage.api.order(orderId)
    if (statuses.includes(order.status) || (target >= 0 && FORWARD.indexOf(order.status) >= target)) return order
    if (Date.now() > end) throw new Error(`order ${orderId} is "${order.status}", and was expected to be ${statuses.join(' or ')}`)
    await sleep(50)
  }
}

function short(hash: string): string {
  return hash.length > 18 ? `${hash.slice(0, 10)}…${hash.slice(-6)}` : hash
}
