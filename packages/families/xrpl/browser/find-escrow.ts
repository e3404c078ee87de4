/**
 * Finds the escrow of a swap by the transaction that the service names, or among the objects of the user's own account. The ledger does
 * not know swap ids, so the fields that our node shows count: owner, destination and tag, amount, condition.
 */
import { verifySame, verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Node, Settled, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { NodeError } from '@tandem/chain-kit/browser/node-error.ts'
import { askJson } from '@tandem/chain-kit/browser/request.ts'
import { partyOf } from '../terms/address.ts'
import { type Escrow, escrowOf, fromRippleTime } from '../terms/htlc.ts'
import { parseChange, parseEscrow } from '../terms/nodes/read-escrow.ts'

export type FoundEscrow = {
  readonly escrow: Escrow
  /** A finish and a cancel name this sequence of the transaction that made the escrow. */
  readonly sequence: number
  readonly ledger: number
}

type Json = Readonly<Record<string, unknown>>
type Newest = { readonly index: number /** Unix seconds. */; readonly time: bigint }

const PAGE = 400
/** Strangers can send escrows to an account. Each escrow binds a reserve of theirs. */
const MAX_PAGES = 20

/** A `VerificationError` means that the transaction that the service names made another escrow. */
export async function findEscrow(side: SwapSide, node: Node): Promise<FoundEscrow | null> {
  const hint = side.record.initiate_tx_hash
  return (hint === '' ? null : await madeBy(side, node, hint)) ?? (await amongOwn(side, node))
}

export async function newestLedger(node: Node): Promise<Newest> {
  const answer = await request(node, 'ledger', { ledger_index: 'validated' })
  const { close_time: time } = (answer?.ledger ?? {}) as { readonly close_time?: number }
  if (answer === null || time === undefined) throw new NodeError('the node has no validated ledger')
  return { index: Number(answer.ledger_index), time: fromRippleTime(BigInt(time)) }
}

/** Nodes of the main network may leave it out. */
export async function networkId(node: Node): Promise<number> {
  const { network_id } = ((await request(node, 'server_info', {}))?.info ?? {}) as { readonly network_id?: number }
  return network_id ?? 0
}

async function madeBy({ terms }: SwapSide, node: Node, transaction: string): Promise<FoundEscrow | null> {
  const made = await transactionOf(node, transaction)
  if (made === null) return null
  const entry = await request(node, 'ledger_entry', { escrow: { owner: terms.initiator, seq: made.sequence }, ledger_index: 'validated' })
  if (entry === null || entry.validated !== true) return null
  const escrow = parseEscrow(entry.node as Json)
  verifyThat(escrow !== null, 'lock', 'an escrow without further fields', entry.node)
  const { cancelAfter: _, ...expected } = escrowOf(terms, 0n)
  for (const [name, value] of Object.entries(expected)) verifySame(`lock.${name}`, value, escrow[name as keyof Escrow])
  return { escrow, ...made }
}

export type ListedEscrow = { readonly escrow: Escrow; readonly transaction: string }

/** `onCut` is called if there are more escrows than we read. */
export async function* escrowsOf(account: string, node: Node, onCut: () => void = () => undefined): AsyncGenerator<ListedEscrow, void> {
  let marker: unknown
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = { account, type: 'escrow', ledger_index: 'validated', limit: PAGE, ...(marker !== undefined && { marker }) }
    const answer = await request(node, 'account_objects', asked)
    for (const entry of (answer?.account_objects ?? []) as readonly Json[]) {
      const escrow = parseEscrow(entry)
      if (escrow !== null) yield { escrow, transaction: String(entry.PreviousTxnID) }
    }
    marker = answer?.marker
    if (marker === undefined) return
  }
  onCut()
}

async function amongOwn(side: SwapSide, node: Node): Promise<FoundEscrow | null> {
  let best: ListedEscrow | null = null
  for await (const listed of escrowsOf(userOf(side), node))
    if (isOf(side, listed.escrow) && (best === null || best.escrow.cancelAfter < listed.escrow.cancelAfter)) best = listed
  const made = best === null ? null : await transactionOf(node, best.transaction)
  return best === null || made === null ? null : { escrow: best.escrow, ...made }
}

function userOf({ leg, terms }: SwapSide): string {
  return leg === 'source' ? terms.initiator : partyOf(terms.redeemer).account
}

function isOf({ terms }: SwapSide, escrow: Escrow): boolean {
  const { cancelAfter: _, ...expected } = escrowOf(terms, 0n)
  return Object.entries(expected).every(([name, value]) => escrow[name as keyof Escrow] === value)
}

/** The end of the escrow is searched in this many transactions of the user's account, newest first. */
const HISTORY_PAGE = 200
const MAX_HISTORY_PAGES = 10

/** The ledger forgets an escrow that has ended: the transaction that ended it is among those of the user's own account. */
export async function settledAs(side: SwapSide, node: Node): Promise<Settled> {
  let isCancelled = false
  let marker: unknown
  for (let page = 0; page < MAX_HISTORY_PAGES && (page === 0 || marker !== undefined); page += 1) {
    const asked = { account: userOf(side), limit: HISTORY_PAGE, ...(marker !== undefined && { marker }) }
    const answer = await request(node, 'account_tx', asked)
    const changes = ((answer?.transactions ?? []) as readonly Json[]).flatMap((entry) => parseChange(entry) ?? [])
    const ended = changes.filter(({ kind, escrow }) => kind !== 'created' && isOf(side, escrow))
    if (ended.some(({ kind }) => kind === 'finished')) return 'redeemed'
    isCancelled ||= ended.length > 0
    marker = answer?.marker
  }
  if ((await amongOwn(side, node)) !== null) return 'none'
  return isCancelled ? 'refunded' : 'unknown'
}

/** The result is null if no validated ledger has the transaction. */
async function transactionOf(node: Node, transaction: string): Promise<{ readonly sequence: number; readonly ledger: number } | null> {
  const found = await request(node, 'tx', { transaction })
  if (found === null || found.validated !== true) return null
  const { Sequence, TicketSequence } = found.tx_json as { readonly Sequence: number; readonly TicketSequence?: number }
  // A transaction with a ticket has the sequence 0: the escrow then has the number of the ticket.
  return { sequence: Sequence === 0 ? Number(TicketSequence) : Sequence, ledger: Number(found.ledger_index) }
}

const ABSENT: ReadonlySet<unknown> = new Set(['txnNotFound', 'entryNotFound', 'actNotFound'])

/** The interface is JSON-RPC of rippled and Clio, API version 2. A missing object is null. */
async function request(node: Node, method: string, params: Json): Promise<Json | null> {
  const { result } = (await askJson(node, '', { method, params: [{ ...params, api_version: 2 }] })) as { readonly result?: Json }
  if (ABSENT.has(result?.error)) return null
  if (result === undefined || result.error !== undefined) throw new NodeError(`${method}: the node answered ${String(result?.error)}`)
  return result
}
