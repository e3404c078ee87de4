/** Simulated providers in front of one local chain. Tests make them die, fall behind or lie. */
import { randomBytes } from 'node:crypto'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { startTestProviders, type TestProviders } from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { RpcError } from '../../local/rpc/rpc-error.ts'
import { startRpcServer } from '../../local/rpc/rpc-server.ts'
import type { XrplChain } from '../../local/xrpl-chain.ts'
import { escrowOf } from '../../terms/htlc.ts'
import { createCall } from '../send/transaction.ts'

type Request = Readonly<Record<string, unknown>>
type Result = Readonly<Record<string, unknown>>
type Ask = (request: Request) => Result
/** Answers a request; `ask` forwards one to the chain. */
export type Behaviour = (request: Request, ask: Ask) => Result

export interface TestProvider {
  readonly url: string
  /** The commands of all requests. */
  readonly asked: string[]
  behave(behaviour: Behaviour): void
  setOffline(offline: boolean): void
  close(): Promise<void>
}

const honest: Behaviour = (request, ask) => ask(request)

export async function startTestProvider(chain: Pick<XrplChain, 'answer'>): Promise<TestProvider> {
  let behaviour = honest
  const asked: string[] = []
  const answer = (request: Request) => {
    asked.push(String(request.command))
    return behaviour(request, chain.answer)
  }
  const server = await startRpcServer({ answer: (_, request) => answer(request), disconnected: () => undefined }, 0)
  return {
    url: `ws://127.0.0.1:${server.port}`,
    asked,
    behave(next) {
      behaviour = next
    },
    setOffline: server.setOffline,
    close: server.close,
  }
}

/** Changes the answers of these commands; all others are honest. */
export function lyingAbout(lies: Readonly<Record<string, (truth: Result, request: Request) => Result>>): Behaviour {
  return (request, ask) => {
    const truth = ask(request)
    return lies[String(request.command)]?.(truth, request) ?? truth
  }
}

/** Has no ledger after this height. */
function stoppedAt(newest: bigint): Behaviour {
  const last = Number(newest)
  return (request, ask) => {
    if (request.command === 'account_tx' && Number(request.ledger_index_max) > last) throw new RpcError('lgrIdxMalformed')
    if (typeof request.ledger_index === 'number' && request.ledger_index > last) throw new RpcError('lgrNotFound')
    const result = ask(request.ledger_index === 'validated' ? { ...request, ledger_index: last } : request)
    if (request.command === 'tx' && Number(result.ledger_index) > last) throw new RpcError('txnNotFound', { searched_all: true })
    return result
  }
}

/** Another ledger in place of the one with this hash. */
function forgedLedger(hash: string): Behaviour {
  const ledger_hash = randomBytes(32).toString('hex').toUpperCase()
  return lyingAbout({ ledger: (truth) => (truth.ledger_hash === hash ? { ...truth, ledger_hash } : truth) })
}

/** An escrow of these terms in a real ledger. */
export function forgedCreate(terms: HtlcTerms, { height, hash, time }: Pick<Block, 'height' | 'hash' | 'time'>): Result {
  return {
    tx_json: { ...createCall(escrowOf(terms, time)), Account: terms.initiator, Sequence: 7, Fee: '12' },
    meta: { TransactionResult: 'tesSUCCESS', TransactionIndex: 0, AffectedNodes: [{ CreatedNode: { LedgerEntryType: 'Escrow' } }] },
    hash: 'AB'.repeat(32),
    ledger_index: Number(height),
    ledger_hash: hash,
    validated: true,
  }
}

function forgedInitiation(terms: HtlcTerms, block: Block): Behaviour {
  return lyingAbout({
    account_tx(truth, { ledger_index_min: min, ledger_index_max: max }) {
      const isAsked = Number(min) <= Number(block.height) && Number(block.height) <= Number(max)
      return isAsked ? { ...truth, transactions: [...(truth.transactions as unknown[]), forgedCreate(terms, block)] } : truth
    },
  })
}

/** Every escrow in the ledger is one of these terms, or is not there. */
function shownHtlc(terms: HtlcTerms, { time }: Block, as: 'open' | 'absent'): Behaviour {
  const { TransactionType: _, ...fields } = createCall(escrowOf(terms, time))
  const node = { ...fields, LedgerEntryType: 'Escrow', Account: terms.initiator }
  return (request, ask) => {
    if (request.command !== 'ledger_entry' || request.escrow === undefined) return ask(request)
    if (as === 'absent') throw new RpcError('entryNotFound')
    return { node, validated: true, ledger_index: request.ledger_index }
  }
}

type ProvidersSetup = {
  readonly chain: Pick<XrplChain, 'answer'>
  connect(urls: readonly string[], options: Parameters<TestProviders['connect']>[1]): ChainClient
}

export function openTestProviders({ chain, connect }: ProvidersSetup): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviourOf(how) {
      switch (how.kind) {
        case 'stops-at':
          return stoppedAt(how.newest.height)
        case 'forges-block':
          return forgedLedger(how.block.hash)
        case 'forges-initiation':
          return forgedInitiation(how.terms, how.newest)
        case 'hides-events':
          return lyingAbout({ account_tx: (truth) => ({ ...truth, transactions: [], marker: undefined }) })
        case 'shows-htlc':
          return shownHtlc(how.terms, how.newest, how.as)
      }
    },
  })
}
