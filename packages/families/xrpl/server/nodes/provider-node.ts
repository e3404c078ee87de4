/** Uses one provider as a node, and parses its answers. */
import type { Endpoint } from '@tandem/chain-kit/port/endpoints.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { type Json, list, malformed, number, record, text, whole } from '@tandem/chain-kit/providers/json.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import { hashes } from 'xrpl'
import { fromRippleTime } from '../../terms/htlc.ts'
import { drops, hash } from '../../terms/nodes/json.ts'
import { parseChange, parseEscrow } from '../../terms/nodes/read-escrow.ts'
import { type Account, type EscrowChange, NodeRefusal, type Outcome, type XrplNode } from './node.ts'
import { createSocket } from './socket.ts'

/**
 * Nodes give pages of 10 to 400 transactions. A stranger's payment may have metadata of some megabytes, and many of them make a page
 * longer than our limit, so after a failure we request a smaller page.
 */
const PAGE_TRANSACTIONS = { max: 200, min: 10 } as const
/** A node that returns more than this for one ledger is faulty: a ledger has some hundred transactions, of all accounts. */
const MAX_IN_LEDGER = 20_000

/**
 * A history is read from `from` on. After any failure the next call continues at the ledger `next`: those below are read, and validated
 * ledgers do not change. So a range of any length ends, however many payments strangers send.
 */
type History = { readonly from: bigint; next: bigint; readonly changes: Map<string, EscrowChange> }

/** An account with one of these fields belongs to a part of the ledger. */
const PSEUDO_FIELDS = ['AMMID', 'VaultID', 'LoanBrokerID'] as const

export function createProviderNode(endpoint: Endpoint, timeoutMs: number): XrplNode {
  const socket = createSocket(endpoint, timeoutMs)
  /** The page size is kept by account, where it is not the maximum. */
  const pageTransactions = new Map<string, number>()
  /** Each account has one range that is being read. */
  const histories = new Map<string, History>()

  async function askPage(params: Json & { readonly account: string; readonly limit: number }): Promise<Json> {
    try {
      return await socket.request('account_tx', params)
    } catch (error) {
      const fewer = Math.max(Math.floor(params.limit / 4), PAGE_TRANSACTIONS.min)
      if (!(error instanceof NodeRefusal)) pageTransactions.set(params.account, fewer)
      throw error
    }
  }

  async function readHistory(account: string, read: History, to: bigint): Promise<void> {
    const limit = pageTransactions.get(account) ?? PAGE_TRANSACTIONS.max
    const [min, max] = [Number(read.next), Number(to)]
    let reached = read.next
    let marker: unknown
    for (let inLedger = 0; inLedger < MAX_IN_LEDGER; ) {
      const range = { account, ledger_index_min: min, ledger_index_max: max, forward: true, limit }
      const page = await askPage({ ...range, ...(marker !== undefined && { marker }) })
      // A node that lacks a part of the range may answer for the remaining part.
      if (page.validated !== true || page.ledger_index_min !== min || page.ledger_index_max !== max)
        throw new NodeRefusal('incomplete', `it does not have all ledgers from ${min} to ${max}`)
      const entries = list(page.transactions).map(record)
      for (const entry of entries) {
        const change = parseChange(entry)
        if (change !== null && change.ledger >= read.from && change.ledger <= to) read.changes.set(change.tx, change)
      }
      if (page.marker === undefined) {
        if (limit * 2 < PAGE_TRANSACTIONS.max) pageTransactions.set(account, limit * 2)
        else pageTransactions.delete(account)
        return
      }
      marker = page.marker
      const last = entries.at(-1)
      const ledger = last === undefined ? reached : whole(last.ledger_index)
      if (ledger < reached || ledger > to) throw malformed('transactions in the order of the ledgers')
      inLedger = ledger > reached ? 0 : inLedger + Math.max(entries.length, 1)
      reached = ledger
      if (reached > read.next) read.next = reached
    }
    throw malformed(`at most ${MAX_IN_LEDGER} transactions in a ledger`)
  }

  /** The result is null if the node refuses with one of these errors. Any other refusal says nothing about the chain. */
  async function unless(errors: readonly string[], command: string, params: Json): Promise<Json | null> {
    try {
      return await socket.request(command, params)
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      if (errors.includes(error.error)) return null
      throw asUnreachable(command, error)
    }
  }

  async function ask(command: string, params: Json = {}): Promise<Json> {
    try {
      return await socket.request(command, params)
    } catch (error) {
      throw error instanceof NodeRefusal ? asUnreachable(command, error) : error
    }
  }

  const state = async () => record((await ask('server_state')).state)

  async function block(height: bigint | 'validated'): Promise<Block | null> {
    const ledger_index = height === 'validated' ? height : Number(height)
    const found = await unless(['lgrNotFound'], 'ledger', { ledger_index })
    // A ledger that is closed and not validated yet may still be another one.
    if (found === null || found.validated !== true) return null
    const parsed = parseBlock(found)
    if (height !== 'validated' && parsed.height !== height) throw malformed(`ledger ${height}`)
    return parsed
  }

  /** The result is null if the entry does not exist. It rejects with a NodeRefusal if the node does not have this ledger. */
  async function atLedger(ledger: bigint, absent: string, command: string, params: Json): Promise<Json | null> {
    try {
      const found = await socket.request(command, { ...params, ledger_index: Number(ledger) })
      if (found.validated !== true || found.ledger_index !== Number(ledger)) throw malformed(`the state at ledger ${ledger}`)
      return found
    } catch (error) {
      if (!(error instanceof NodeRefusal) || error.error === 'lgrNotFound') throw error
      if (error.error === absent) return null
      throw asUnreachable(command, error)
    }
  }

  async function outcome(tx: string): Promise<Outcome | null> {
    const found = await unless(['txnNotFound'], 'tx', { transaction: tx })
    return found === null ? null : parseOutcome(found)
  }

  return {
    async networkId() {
      const { network_id } = await state()
      // Nodes of the main network may leave it out.
      return network_id === undefined ? 0 : number(network_id)
    },
    hasLedger: async (height) => isAmong(text((await state()).complete_ledgers), height),
    async reserves() {
      const { reserve_base, reserve_inc } = record((await state()).validated_ledger)
      return { base: drops(reserve_base), increment: drops(reserve_inc) }
    },
    async fee() {
      const fees = record((await ask('fee')).drops)
      return [fees.base_fee, fees.minimum_fee, fees.open_ledger_fee].map(drops).reduce((most, one) => (one > most ? one : most))
    },

    block,
    blocks: async (heights) => (await Promise.all(heights.map(block))).flatMap((found) => found ?? []),

    async account(address, ledger) {
      const found = await atLedger(ledger, 'actNotFound', 'account_info', { account: address })
      return found === null ? null : parseAccount(record(found.account_data))
    },
    async escrow(owner, sequence, ledger) {
      const found = await atLedger(ledger, 'entryNotFound', 'ledger_entry', { escrow: { owner, seq: Number(sequence) } })
      return found === null ? null : (parseEscrow(record(found.node)) ?? 'other')
    },

    async escrowChanges(account, from, to) {
      const begun = histories.get(account)
      const read = begun?.from === from && begun.next <= to ? begun : { from, next: from, changes: new Map<string, EscrowChange>() }
      histories.set(account, read)
      await readHistory(account, read, to)
      histories.delete(account)
      return [...read.changes.values()]
    },
    outcome,
    async isAbsent(tx, from, to) {
      try {
        const found = await socket.request('tx', { transaction: tx, min_ledger: Number(from), max_ledger: Number(to) })
        if (parseOutcome(found).kind !== 'pending') return false
      } catch (error) {
        if (!(error instanceof NodeRefusal) || error.error !== 'txnNotFound') throw error
        if (record(error.data).searched_all === true) return true
      }
      throw new NodeRefusal('incomplete', `it cannot say that ${tx} is in none of the ledgers ${from} to ${to}`)
    },

    async submit(blob) {
      try {
        const result = text((await socket.request('submit', { tx_blob: blob })).engine_result)
        // Nodes compare the sequence first: they answer so for a transaction that they have themselves.
        const isKnown = result === 'tefPAST_SEQ' && (await outcome(hashes.hashSignedTx(blob))) !== null
        return { result: isKnown ? 'tefALREADY' : result, isPartlyAccepted: false }
      } catch (error) {
        if (!(error instanceof NodeRefusal)) throw error
        return { result: error.error, isPartlyAccepted: false }
      }
    },
    close: socket.close,
  }
}

function parseBlock({ ledger_index, ledger_hash, ledger }: Json): Block {
  const { parent_hash, close_time } = record(ledger)
  return { height: whole(ledger_index), hash: hash(ledger_hash), parentHash: hash(parent_hash), time: fromRippleTime(whole(close_time)) }
}

function parseAccount(account: Json): Account {
  return {
    balance: drops(account.Balance),
    sequence: whole(account.Sequence),
    ownerCount: whole(account.OwnerCount),
    flags: number(account.Flags),
    isPseudo: PSEUDO_FIELDS.some((field) => account[field] !== undefined),
  }
}

function parseOutcome(found: Json): Outcome {
  if (found.validated !== true) return { kind: 'pending' }
  const result = text(record(found.meta).TransactionResult)
  return result === 'tesSUCCESS' ? { kind: 'succeeded' } : { kind: 'failed', result }
}

function asUnreachable(command: string, { error, message }: NodeRefusal): ChainFailure {
  return new ChainFailure('unreachable', `${command}: the node refused (${error}: ${message})`)
}

/** The form of `complete` is '24900901-24900984,24901116-24901158', or 'empty'. */
function isAmong(complete: string, height: bigint): boolean {
  return [...complete.matchAll(/(\d+)(?:-(\d+))?/g)].some(
    ([, first = '', last = first]) => BigInt(first) <= height && height <= BigInt(last),
  )
}
