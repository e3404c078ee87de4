/** Reads what lies at a deposit address, returns it to its owner, or locks it. The user sees what was found before the wallet is asked. */
import { type AssetFacts, type DepositSource, NodeError, parseAddress, type Tandem, type Wallet, walletAddress } from '@tandem/sdk'
import { groupThousands } from '../../shared/amount.ts'
import { now } from '../../shared/clock.ts'
import { SaidError } from '../../shared/explain.ts'
import { formatMoment } from '../../shared/moment.ts'
import { rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { amountText, factsOf, learnAssets } from './facts.ts'
import { pinnedRegistry } from './registry.ts'
import { openWallet } from './wallets.ts'

export type AtDeposit = {
  readonly tandem: Tandem
  readonly of: DepositSource
  /** They are of the asset of the order. */
  readonly facts: AssetFacts
  /** What is returned goes to this account. */
  readonly initiator: string
  /** Until then (unix seconds) the money can be locked. */
  readonly deadline: number
}

/** Undefined stands for the asset of the order, null for the coin of the chain, a text for another token. */
type Which = string | null | undefined

export function look(at: AtDeposit, which: Which): Act {
  return async (say) => {
    const { text, more } = await read(at, which)
    say(text, more)
  }
}

export function giveBack(at: AtDeposit, which: Which): Act {
  const { tandem, of, facts } = at
  return async (say) => {
    const { held, text, more } = await read(at, which)
    if (held === 0n) throw new SaidError(`${text} ${texts.deposits.notSent}`)
    say(`${text} ${texts.deposits.confirm}`, more)
    const wallet = await openWallet(facts.family, facts.chainName)
    if (await isTooEarlyFor(at, wallet))
      say(`${text} ${texts.deposits.onlyOwner(formatMoment(at.deadline, now.value), at.initiator)}`, more)
    const hash = await tandem.returnDeposit(of, { wallet, ...(which !== undefined && { token: which }) })
    say(texts.returned, { tx: { chain: facts.chain, hash } })
  }
}

export function lock(at: AtDeposit, amount: bigint): Act {
  const { tandem, of, facts } = at
  return async (say) => {
    const { held, text, more } = await read(at, undefined)
    if (held !== null && held < amount)
      throw new SaidError(`${text} ${texts.package.needs(amountText(facts.id, amount))} ${texts.deposits.notSent}`)
    say(`${text} ${texts.deposits.confirm}`, more)
    const hash = await tandem.initiateDeposit(of, { wallet: await openWallet(facts.family, facts.chainName) })
    say(texts.package.locked, { tx: { chain: facts.chain, hash } })
  }
}

type Seen = { readonly held: bigint | null; readonly text: string; readonly more: { readonly details?: string } }

/** A node that is silent hinders no wallet: then the user is told that the amount is not known. */
async function read({ tandem, of }: AtDeposit, which: Which): Promise<Seen> {
  try {
    const { asset, held } = await tandem.depositBalance(of, which === undefined ? {} : { token: which })
    if (held === null) return { held, text: texts.deposits.notRead, more: {} }
    if (held === 0n) return { held, text: texts.deposits.nothing, more: {} }
    if (asset !== null) await learnAssets([asset])
    const isKnown = asset !== null && factsOf(asset) !== null
    const amount = isKnown ? amountText(asset, held) : texts.deposits.unknownToken(groupThousands(held))
    return { held, text: texts.deposits.holds(amount), more: {} }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return { held: null, text: texts.deposits.notRead, more: { details: error.message } }
  }
}

async function isTooEarlyFor({ facts, initiator, deadline }: AtDeposit, wallet: Wallet): Promise<boolean> {
  if (deadline < now.value) return false
  const canonical = (address: string) => parseAddress(facts.chain, address, pinnedRegistry())
  return (await canonical(await walletAddress(wallet, facts.chain, pinnedRegistry()))) !== (await canonical(initiator))
}
