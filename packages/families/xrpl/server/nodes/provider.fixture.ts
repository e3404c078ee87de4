/** Starts simulated providers in front of one local chain. Tests make them die, fall behind or lie. */
import { randomBytes } from 'node:crypto'
import {
  type ConnectProviders,
  honest,
  type Behaviour as KitBehaviour,
  lyingAbout as lying,
  startTestProvider as startProvider,
  startTestProviders,
  type TestProvider,
  type TestProviders,
} from '@tandem/chain-kit/testing/providers.fixture.ts'
import type { Block } from '@tandem/protocol/chain.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import { RpcError } from '../../local/rpc/rpc-error.ts'
import { startRpcServer } from '../../local/rpc/rpc-server.ts'
import type { XrplChain } from '../../local/xrpl-chain.ts'
import { escrowOf } from '../../terms/htlc.ts'
import { createCall } from '../send/transaction.ts'

type Fields = Readonly<Record<string, unknown>>
export type Behaviour = KitBehaviour<Fields>

export const lyingAbout = lying<Fields, Fields>

export function startTestProvider(chain: Pick<XrplChain, 'answer'>): Promise<TestProvider<Behaviour>> {
  return startProvider((behave) => {
    const ask = (_: string, request: Fields) => chain.answer(request)
    const answer = (request: Fields) => behave(String(request.command), request, ask) as Fields
    return startRpcServer({ answer: (_, request) => answer(request), disconnected: () => undefined }, 0)
  }, 'ws')
}

function stoppedAt(newest: bigint): Behaviour {
  const last = Number(newest)
  return (command, request, ask) => {
    if (command === 'account_tx' && Number(request.ledger_index_max) > last) throw new RpcError('lgrIdxMalformed')
    if (typeof request.ledger_index === 'number' && request.ledger_index > last) throw new RpcError('lgrNotFound')
    const result = ask(command, request.ledger_index === 'validated' ? { ...request, ledger_index: last } : request) as Fields
    if (command === 'tx' && Number(result.ledger_index) > last) throw new RpcError('txnNotFound', { searched_all: true })
    return result
  }
}

function forgedLedger(hash: string): Behaviour {
  const ledger_hash = randomBytes(32).toString('hex').toUpperCase()
  return lyingAbout({ ledger: (_, truth) => (truth.ledger_hash === hash ? { ...truth, ledger_hash } : truth) })
}

export function forgedCreate(terms: HtlcTerms, { height, hash, time }: Pick<Block, 'height' | 'hash' | 'time'>): Fields {
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
    account_tx({ ledger_index_min: min, ledger_index_max: max }, truth) {
      const isAsked = Number(min) <= Number(block.height) && Number(block.height) <= Number(max)
      return isAsked ? { ...truth, transactions: [...(truth.transactions as unknown[]), forgedCreate(terms, block)] } : truth
    },
  })
}

/** Every escrow in the ledger is one of these terms, or is not there. */
function shownHtlc(terms: HtlcTerms, { time }: Block, as: 'open' | 'absent'): Behaviour {
  const { TransactionType: _, ...fields } = createCall(escrowOf(terms, time))
  const node = { ...fields, LedgerEntryType: 'Escrow', Account: terms.initiator }
  return (command, request, ask) => {
    if (command !== 'ledger_entry' || request.escrow === undefined) return ask(command, request)
    if (as === 'absent') throw new RpcError('entryNotFound')
    return { node, validated: true, ledger_index: request.ledger_index }
  }
}

type ProvidersSetup = { readonly chain: Pick<XrplChain, 'answer'>; readonly connect: ConnectProviders }

export function openTestProviders({ chain, connect }: ProvidersSetup): Promise<TestProviders> {
  return startTestProviders<Behaviour>({
    start: () => startTestProvider(chain),
    connect,
    honest,
    behaviours: {
      'stops-at': ({ newest }) => stoppedAt(newest.height),
      'forges-block': ({ block }) => forgedLedger(block.hash),
      'forges-initiation': ({ terms, newest }) => forgedInitiation(terms, newest),
      'hides-events': () => lyingAbout({ account_tx: (_, truth) => ({ ...truth, transactions: [], marker: undefined }) }),
      'shows-htlc': ({ terms, newest, as }) => shownHtlc(terms, newest, as),
    },
  })
}
