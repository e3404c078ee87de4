/** Finds all swaps of the keys again from an empty storage, and remembers those that can go on. */

import { loadFamily } from '@tandem/families/browser.ts'
import type { Leg } from '@tandem/protocol/order.ts'
import { hashSecret } from '@tandem/protocol/secret.ts'
import { MAX_SECRET_HASHES } from '@tandem/protocol/secret-lookup.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { SwapRecord } from '@tandem/protocol/wire/swap.ts'
import { addressOn } from '../families/parse-address.ts'
import type { SwapContext } from '../swap/context.ts'
import { addSwap, findSwap, intentOf, type SavedSwap } from '../swap/saved-swap.ts'
import { pinnedAsset } from '../verify/pinned.ts'
import { verifyTerms } from '../verify/verify-order.ts'
import { learnSolverKeys } from './solver-keys.ts'

/** The service is asked for the hashes of the phrase's secrets, and learns nothing else. The limit ends the search at one that answers for every index. */
const MAX_INDICES = 20_000

const GAP = 20

export type RestoreOptions = {
  /**
   * The user's own addresses by chain: where they are paid, and refunded by their own keys. An order that pays another address is not resumed:
   * its secret would pay whom the service names.
   */
  readonly addresses?: Readonly<Record<string, string>>
  /** The search ends after this many unused indices in a row. The default is 20. */
  readonly gap?: number
  /**
   * Makes new swaps with the phrase too, from the index after the last one of which the service has an order. Default: false, new swaps take a new phrase.
   * A secret that is used twice is public: with `true` you rely on the service to hide no order, and on the phrase to be used nowhere else.
   */
  readonly continueNumbering?: boolean
  readonly signal?: AbortSignal
}

/** `problem` says why the swap cannot go on from here. If it is null, `resume(orderId, wallet, { minToAmount })` continues it. Amounts are the service's word. */
export type RestoredSwap = FoundOrder & { readonly orderId: string; readonly problem: string | null }

/** It is safe to repeat, also with other addresses. A swap that the storage still knows stays as it is. */
export async function restoreSwaps(
  context: SwapContext,
  { addresses = {}, gap = GAP, continueNumbering = false, signal }: RestoreOptions = {},
): Promise<readonly RestoredSwap[]> {
  const { startAt } = context.keys
  if (startAt === undefined) throw new Error('these keys cannot be restored: give rescueKeys(phrase, storage) in the option keys')
  const restored: RestoredSwap[] = []
  for await (const found of findOrders(context, gap, signal))
    restored.push({ ...found, orderId: found.record.order_id, problem: await remember(context, found, addresses) })
  await learnSolverKeys(context, signal)
  if (continueNumbering) await startAt((restored.at(-1)?.index ?? -1) + 1)
  return restored
}

async function remember(context: SwapContext, found: FoundOrder, addresses: Readonly<Record<string, string>>): Promise<string | null> {
  if ((await findSwap(context, found.record.order_id)) !== null) return null
  try {
    const saved = await savedFrom(context, found, addresses)
    const { destination } = await verifyTerms(await intentOf(context, saved), {
      record: found.record,
      funding: { order_id: saved.orderId, to: '', amount: '' },
    })
    await (await loadFamily(destination.chain.family)).verifyDestination(destination)
    await addSwap(context, saved)
    return null
  } catch (error) {
    // One order that is not as it should be must not keep the others from being restored.
    return error instanceof Error ? error.message : String(error)
  }
}

async function savedFrom(
  context: SwapContext,
  { index, record }: FoundOrder,
  addresses: Readonly<Record<string, string>>,
): Promise<SavedSwap> {
  const source = await partyOf(context, index, 'source', record, addresses)
  const destination = await partyOf(context, index, 'destination', record, addresses)
  if (destination.takesKeys && destination.ownKey === null)
    throw new Error(
      `order ${record.order_id} does not pay your key: its secret would pay whoever has the key ${record.destination_swap.delegate ?? record.destination_swap.redeemer}`,
    )
  if (destination.address === null) throw new Error(`name your address on ${record.destination_swap.chain} in addresses`)
  if (source.ownKey !== null && source.address === null) throw new Error(`name your address on ${record.source_swap.chain} in addresses`)
  return {
    orderId: record.order_id,
    index,
    request: {
      source: requestOf(record.source_swap, source.ownKey ?? source.address ?? record.source_swap.initiator),
      destination: requestOf(record.destination_swap, destination.ownKey ?? destination.address),
      affiliate_fees: record.affiliate_fees.map(({ address, fee }) => ({ address, fee })),
    },
    minDestinationAmount: record.destination_swap.amount,
    secretHash: record.source_swap.secret_hash,
    orderToken: null,
    ownKeys: [...(source.ownKey === null ? [] : ['source' as const]), ...(destination.ownKey === null ? [] : ['destination' as const])],
    payout: destination.address,
    refundTo: source.address,
    refundPackage: null,
    paidFor: record,
    paidTx: null,
    payer: null,
    madeAt: Date.parse(record.created_at),
    phase: 'restored',
  }
}

function requestOf({ asset, amount }: SwapRecord, owner: string) {
  return { asset, amount, owner }
}

/** `takesKeys` means that parties on the chain are keys. `ownKey` is the public key at this index, if it takes part in the HTLC. */
async function partyOf(
  { keys, options }: SwapContext,
  index: number,
  leg: Leg,
  record: OrderRecord,
  addresses: Readonly<Record<string, string>>,
): Promise<{ readonly takesKeys: boolean; readonly ownKey: string | null; readonly address: string | null }> {
  const swap = leg === 'source' ? record.source_swap : record.destination_swap
  const { chain } = await pinnedAsset(swap.asset, options.deployments ?? {}, options.registry)
  const family = await loadFamily(chain.family)
  const { ownKeys } = family
  const ownKey = ownKeys === undefined ? null : ownKeys.publicKeyOf(await keys.keyFor(index, leg))
  const given = addresses[chain.id]
  return {
    takesKeys: ownKeys !== undefined,
    ownKey: ownKey === (leg === 'source' ? swap.initiator : swap.redeemer) ? ownKey : null,
    address: given === undefined ? null : addressOn(family, chain, given),
  }
}

type FoundOrder = { readonly index: number; readonly record: OrderRecord }

/** By index. Ends after `gap` indices in a row without an order: an index is also used up by an order that was refused. */
export async function* findOrders(
  { client, keys }: Pick<SwapContext, 'client' | 'keys'>,
  gap: number,
  signal?: AbortSignal,
): AsyncGenerator<FoundOrder, void> {
  let unused = 0
  for (let first = 0; unused < gap; first += MAX_SECRET_HASHES) {
    if (first >= MAX_INDICES)
      throw new Error(`the service names orders for ${MAX_INDICES} indices of the phrase: it does not tell the truth`)
    const indices = Array.from({ length: MAX_SECRET_HASHES }, (_, n) => first + n)
    const hashes = await Promise.all(indices.map(async (index) => hashSecret(await keys.secretFor(index))))
    const { data } = await client.orders(
      { secret_hash: hashes.join(','), per_page: MAX_SECRET_HASHES },
      signal === undefined ? {} : { signal },
    )
    for (const [n, index] of indices.entries()) {
      const record = data.find(({ source_swap: source }) => source.secret_hash === hashes[n])
      unused = record === undefined ? unused + 1 : 0
      if (record !== undefined) yield { index, record }
    }
  }
}
