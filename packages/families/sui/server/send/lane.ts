/**
 * Sends one signer's transactions on Sui. There are no nonces: coins are the lanes, see `coins.ts`. No transaction can be replaced: a
 * recorded one is sent unchanged until its outcome is known, or until it can no longer be executed. An action signs again only then, or
 * with other coins after a while. The module refuses a repetition.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '@mysten/sui/transactions'
import type { Allocated, ContractTypes, Followed, Lane } from '@tandem/chain-kit/contract/lane.ts'
import { ShortOfCoin } from '@tandem/chain-kit/contract/payout-gas.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Attempt, HeldKey, OthersQuery, Outbox } from '@tandem/chain-kit/port/outbox.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, accountOf } from '../../terms/address.ts'
import { SUI_TYPE } from '../../terms/coin-type.ts'
import { type SuiCall, transactionWith } from '../../terms/send/call.ts'
import { attemptOf, buildTransaction, lastEpochOf, readAttempt, type SignedCall, slotOf } from '../../terms/send/transaction.ts'
import { newestBlock } from '../blocks.ts'
import { budgetOf, type GasNeed, gasPrice, SPLIT_BUDGET } from '../fees/gas.ts'
import type { Epoch, NodeCoin, SuiNode } from '../nodes/node.ts'
import { type Chosen, chooseCoins, LANE_MIST, lanesToAdd, totalOf } from './coins.ts'
import { signTransaction } from './sign.ts'

/** The clocks of validators and our own differ by at most this. */
const CLOCK_SKEW_SECONDS = 3_600n

/** An epoch lasts a day. A chain that halts makes it longer, and a local chain may be ahead of our clock. */
const MIN_LOOKBACK_SECONDS = 2n * 86_400n

export interface SuiTypes extends ContractTypes {
  readonly call: SuiCall
  readonly signed: SignedCall
  readonly cost: GasNeed
  /** Another signature solves no refusal of a node at once. */
  readonly refusal: never
}

/** An initiation or a transfer leaves this much SUI: an amount that is gone must not keep us from redeeming what we are owed. */
export const KEPT_FOR_DUTIES = 200_000_000n

/** While all coins are in use they are read again this often: transactions are executed within a second. */
const WAITS = 4
const WAIT_MS = 250

/** At most this many transactions of one action could still be executed, each with other coins. All but one fail, and cost their gas. */
const MAX_LIVE = 3

export async function openLane(node: SuiNode, chain: Chain, outbox: Outbox): Promise<Lane<SuiTypes>> {
  const sender = accountOf(outbox.key)
  const own = [...outbox.attempts]
  const epochAtOpening = own.length === 0 ? null : await node.epoch()
  const live = own.map(readAttempt).filter(({ lastEpoch }) => epochAtOpening === null || lastEpoch >= epochAtOpening.number)
  let isPartlyAccepted = false

  async function broadcast(signed: SignedCall): Promise<'accepted'> {
    const verdict = await node.broadcast(signed)
    if (verdict.kind === 'accepted') return 'accepted'
    isPartlyAccepted ||= verdict.isPartlyAccepted
    throw new ChainFailure(
      'unreachable',
      `the nodes refused ${signed.tx}: ${verdict.reason}; another is signed once it can no longer be executed`,
    )
  }

  async function follow(signed: SignedCall): Promise<Followed<SuiTypes>> {
    const outcome = await node.outcome(signed.tx)
    if (outcome !== null) return { kind: outcome.failure === null ? 'waits' : 'over' }
    if (await isLost(signed)) return { kind: 'over' }
    try {
      await broadcast(signed)
      return { kind: 'waits' }
    } catch (error) {
      // A foreign transaction may have locked its coin until the end of the epoch. Others may be free, and the module refuses a repetition.
      const mayGiveUp = outbox.now - signed.at >= chain.feeBumpSeconds && live.length < MAX_LIVE
      if (mayGiveUp && error instanceof ChainFailure) return { kind: 'over' }
      throw error
    }
  }

  /** A lost transaction cannot succeed: its deadline has passed, or another transaction has spent one of its coins. */
  async function isLost({ tx, spends, deadlineMs }: SignedCall): Promise<boolean> {
    if (await hasPassed(deadlineMs)) return (await node.outcome(tx)) === null
    const newest = await Promise.all(spends.map(({ id }) => node.versionOf(id)))
    if (spends.every(({ version }, index) => newest[index] === version)) return false
    return (await node.outcome(tx)) === null
  }

  /** The clock of later transactions is not before that of a checkpoint. */
  async function hasPassed(deadlineMs: bigint | null): Promise<boolean> {
    return deadlineMs !== null && (await newestBlock(node)).time * 1000n >= deadlineMs
  }

  async function readCoins(call: SuiCall): Promise<Wallet> {
    const { spends } = call
    const [gas, token] = await Promise.all([
      node.coins(sender, SUI_TYPE),
      spends === null || spends.coinType === SUI_TYPE ? [] : node.coins(sender, spends.coinType),
    ])
    return { gas, token }
  }

  /** Throws `would-fail` if waiting for coins in use is useless. Providers may list different versions: the balance decides. */
  async function assertFunds(call: SuiCall, budget: bigint, { gas, token }: Wallet): Promise<void> {
    const spending = spendingOf(call)
    const mist = spending.sui + budget + (leavesSome(call) ? KEPT_FOR_DUTIES : 0n)
    const assertHeld = async (coins: readonly NodeCoin[], of: string, coinType: string, needed: bigint) => {
      if (totalOf(coins) >= needed) return
      const held = await node.balance(sender, coinType)
      const missing = `${call.verb}: ${sender} holds ${held} of ${of}, needs ${needed}`
      if (held < needed) throw coinType === SUI_TYPE ? new ShortOfCoin(missing) : new ChainFailure('would-fail', missing)
    }
    if (call.spends !== null) await assertHeld(token, call.spends.coinType, call.spends.coinType, spending.token)
    await assertHeld(gas, 'MIST', SUI_TYPE, mist)
  }

  async function freeNow(held: HeldKey, epoch: Epoch, { gas, token }: Wallet): Promise<Wallet> {
    const recorded = [...(await held.readOthers(queryFor(epoch, outbox.now, [...gas, ...token]))), ...own]
    return { gas: freeCoins(gas, epoch, recorded), token: freeCoins(token, epoch, recorded) }
  }

  async function allocate(call: SuiCall, need: GasNeed): Promise<Allocated<SuiTypes>> {
    for (let waits = 0; ; waits += 1) {
      const [epoch, wallet] = await Promise.all([node.epoch(), readCoins(call)])
      const price = gasPrice(epoch, own.length)
      const budget = budgetOf(need, price)
      const signed = await outbox.withKey(async (held) => {
        const plan = planOf(call, budget, wallet, await freeNow(held, epoch, wallet))
        if (plan === null) return null
        const payment = plan.gas.coins
        const frame = { sender, price, budget: budget + BigInt(plan.lanes) * SPLIT_BUDGET, lastEpoch: epoch.number, payment }
        const tx = transactionWith(call, plan.token)
        addLanes(tx, plan.lanes, sender)
        const bytes = await buildTransaction(tx, frame)
        const attempt = attemptOf(await signTransaction(held.signer, bytes, call.publication), {
          spends: [...payment, ...plan.token],
          lastEpoch: epoch.number,
          deadlineMs: call.deadlineMs,
          price,
        })
        await held.record(attempt)
        const recorded = { ...attempt, at: outbox.now }
        own.push(recorded)
        return readAttempt(recorded)
      })
      if (signed !== null) return { signed, isNew: true }
      await assertFunds(call, budget, wallet)
      if (waits >= WAITS)
        throw new ChainFailure('unreachable', `all coins of ${sender} are in use by transactions that are not executed yet`)
      await sleep(WAIT_MS)
    }
  }

  return {
    pending: live.toReversed(),
    async unmined() {
      const isOver = await Promise.all(live.map(({ deadlineMs }) => hasPassed(deadlineMs)))
      const outcomes = await Promise.all(live.map(({ tx }) => node.outcome(tx)))
      return live.filter((_, index) => (outcomes[index]?.checkpoint ?? null) === null && !isOver[index])
    },
    findPending: async () => null,
    follow,
    broadcast,
    isPartlyAccepted: () => isPartlyAccepted,
    allocate,
    replacement: null,
  }
}

const leavesSome = ({ verb }: SuiCall) => verb === 'initiate' || verb === 'transfer'

export function addLanes(tx: Transaction, count: number, owner: Address): void {
  if (count === 0) return
  const amounts = Array.from({ length: count }, () => tx.pure.u64(LANE_MIST))
  const coins = tx.splitCoins(tx.gas, amounts)
  tx.transferObjects(
    amounts.flatMap((_, i) => coins[i] ?? []),
    owner,
  )
}

type Wallet = { readonly gas: readonly NodeCoin[]; readonly token: readonly NodeCoin[] }

type Plan = { readonly gas: Chosen; readonly token: readonly NodeCoin[]; readonly lanes: number }

function planOf(call: SuiCall, budget: bigint, all: Wallet, free: Wallet): Plan | null {
  const { sui, token } = spendingOf(call)
  const tokens = token === 0n ? null : chooseCoins(free.token, token, all.token.length)
  if (token > 0n && tokens === null) return null
  const needed = sui + budget
  const gas = chooseCoins(free.gas, needed, all.gas.length)
  if (gas === null || (leavesSome(call) && totalOf(free.gas) - needed < KEPT_FOR_DUTIES)) return null
  const left = gas.total - needed
  // Strangers may send dust: a coin that cannot pay for a transaction is no lane.
  const lanes = all.gas.filter(({ balance }) => balance >= budget).length
  return { gas, token: tokens?.coins ?? [], lanes: lanesToAdd(lanes, left) }
}

function spendingOf({ spends }: SuiCall): { readonly sui: bigint; readonly token: bigint } {
  if (spends === null) return { sui: 0n, token: 0n }
  return spends.coinType === SUI_TYPE ? { sui: spends.amount, token: 0n } : { sui: 0n, token: spends.amount }
}

/**
 * Two transactions that name the same version of a coin would lock it until the end of the epoch (equivocation), and the money of both. So
 * a version that is on record is never signed for again before the epoch of its transaction is over: not by another action, not by another
 * process of the same database, not after a crash. An executed transaction gives its coins a new version.
 *
 * The query finds every attempt that could be executed now and spends a version of these coins. It was signed in this epoch: its expiry is
 * the epoch of its signature.
 */
function queryFor({ startMs }: Epoch, now: bigint, coins: readonly NodeCoin[]): Required<OthersQuery> {
  const [byEpoch, byClock] = [startMs / 1000n - CLOCK_SKEW_SECONDS, now - MIN_LOOKBACK_SECONDS]
  const since = byEpoch < byClock ? byEpoch : byClock
  const fromNonce = coins.reduce<bigint | null>((least, { version }) => (least === null || version < least ? version : least), null)
  return { since: since > 0n ? since : 0n, fromNonce: fromNonce ?? 0n }
}

/** `recorded` has the attempts of this action and of all others. */
function freeCoins(coins: readonly NodeCoin[], { number }: Epoch, recorded: readonly Attempt[]): readonly NodeCoin[] {
  const taken = new Set(recorded.filter((attempt) => lastEpochOf(attempt) >= number).flatMap(({ slots }) => slots))
  return coins.filter(({ id, version }) => !taken.has(slotOf(id, version)))
}
