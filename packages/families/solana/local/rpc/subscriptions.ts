// Serves subscriptions over websocket: slots, roots, signatures, accounts, programs and logs.

import type { Address, EncodedAccount } from '@solana/kit'
import type { Listener } from '@tandem/chain-kit/local/local-server.ts'
import type { Commitment, LedgerBlock } from '../ledger.ts'
import type { MinedTransaction } from '../mined-transaction.ts'
import type { SolanaNode } from '../solana-node.ts'
import { matchesFilters } from './account-filters.ts'
import { accountJson } from './account-json.ts'
import { withContext } from './context.ts'
import { jsonText } from './json-text.ts'
import { addressOf, commitmentOf, configOf, countOf, signatureOf } from './params.ts'
import { invalidParams } from './rpc-error.ts'

export interface Subscriptions {
  answer(listener: Listener, method: string, params: readonly unknown[]): unknown
  removeAll(listener: Listener): void
  count(): number
}

type Subscription = {
  readonly id: number
  readonly listener: Listener
  readonly kind: string
  readonly commitment: Commitment
  height: number
  readonly tell: (block: LedgerBlock) => void
}

type Notify = (result: unknown) => void
type Feed = Pick<Subscription, 'commitment' | 'tell'>
type OpenFeed = (params: readonly unknown[], notify: Notify, end: () => void) => Feed

export function createSubscriptions(node: SolanaNode): Subscriptions {
  const { ledger } = node
  const open = new Map<number, Subscription>()
  let lastId = 0

  node.onBlock(() => {
    for (const subscription of [...open.values()]) tellNews(subscription)
  })
  node.onReorg((forkHeight) => {
    for (const subscription of open.values()) subscription.height = Math.min(subscription.height, forkHeight)
  })

  function tellNews(subscription: Subscription): void {
    const { height } = ledger.tip(subscription.commitment)
    while (subscription.height < height && open.has(subscription.id)) {
      subscription.height += 1
      const block = ledger.blockAtHeight(subscription.height)
      if (block !== null) subscription.tell(block)
    }
  }

  const feedsByKind: Readonly<Record<string, OpenFeed>> = {
    slot: (_, notify) => ({
      commitment: 'processed',
      tell: ({ slot, parentSlot }) => notify({ slot, parent: parentSlot, root: ledger.tip('finalized').slot }),
    }),
    root: (_, notify) => ({ commitment: 'finalized', tell: ({ slot }) => notify(slot) }),
    signature([text, options], notify, end) {
      const [signature, commitment] = [signatureOf(text), commitmentOf(configOf(options))]
      return {
        commitment,
        tell() {
          const mined = ledger.transaction(signature)
          if (mined === null || mined.slot > ledger.tip(commitment).slot) return
          notify(withContext(node, commitment, { err: mined.error }))
          end()
        },
      }
    },
    logs([filter, options], notify) {
      const [matches, commitment] = [logFilter(filter), commitmentOf(configOf(options))]
      return {
        commitment,
        tell({ transactions }) {
          for (const { wire, error, logs } of transactions.filter(matches))
            notify(withContext(node, commitment, { signature: wire.signature, err: error, logs }))
        },
      }
    },
    account([text, options], notify) {
      const [address, config] = [addressOf(text), configOf(options)]
      const commitment = commitmentOf(config)
      const find = (other: Address) => ledger.account(other, commitment)
      return {
        commitment,
        tell(block) {
          if (!ledger.changedBy(block).includes(address)) return
          notify(withContext(node, commitment, accountJson(find(address) ?? closed(address), config, find)))
        },
      }
    },
    program([text, options], notify) {
      const [program, config] = [addressOf(text), configOf(options)]
      const [commitment, matches] = [commitmentOf(config), matchesFilters(config.filters)]
      const find = (other: Address) => ledger.account(other, commitment)
      return {
        commitment,
        tell(block) {
          for (const address of ledger.changedBy(block)) {
            const account = find(address)
            if (account?.programAddress === program && matches(account))
              notify(withContext(node, commitment, { pubkey: address, account: accountJson(account, config, find) }))
          }
        },
      }
    },
  }

  const feeds = new Map(Object.entries(feedsByKind))

  function subscribe(listener: Listener, kind: string, openFeed: OpenFeed, params: readonly unknown[]): number {
    lastId += 1
    const id = lastId
    const notify: Notify = (result) =>
      listener.send(jsonText({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } }))
    const feed = openFeed(params, notify, () => open.delete(id))
    const tip = ledger.tip(feed.commitment)
    const subscription = { ...feed, id, listener, kind, height: tip.height }
    open.set(id, subscription)
    // A transaction that is already mined is reported at once, after the answer to this request.
    if (kind === 'signature') setImmediate(() => open.has(id) && subscription.tell(tip))
    return id
  }

  function unsubscribe(listener: Listener, kind: string, id: number): true {
    const subscription = open.get(id)
    if (subscription?.listener !== listener || subscription.kind !== kind) throw invalidParams('Invalid subscription id.')
    open.delete(id)
    return true
  }

  return {
    answer(listener, method, params) {
      const [, kind = '', direction] = /^([a-z]+)(Subscribe|Unsubscribe)$/.exec(method) ?? []
      const openFeed = feeds.get(kind)
      if (openFeed === undefined) return undefined
      return direction === 'Subscribe' ? subscribe(listener, kind, openFeed, params) : unsubscribe(listener, kind, countOf(params[0]))
    },
    removeAll(listener) {
      for (const [id, subscription] of open) if (subscription.listener === listener) open.delete(id)
    },
    count: () => open.size,
  }
}

function logFilter(filter: unknown): (mined: MinedTransaction) => boolean {
  if (filter === 'all' || filter === 'allWithVotes') return () => true
  const { mentions } = configOf(filter)
  if (!Array.isArray(mentions) || mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported')
  const address = addressOf(mentions[0])
  return ({ addresses }) => addresses.includes(address)
}

function closed(address: Address): EncodedAccount {
  const system = '11111111111111111111111111111111' as Address
  return {
    address,
    data: new Uint8Array(0),
    executable: false,
    lamports: 0n as EncodedAccount['lamports'],
    programAddress: system,
    space: 0n,
  }
}
