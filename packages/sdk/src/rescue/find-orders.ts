/** Finds the orders of a phrase: the service is asked for the hashes of its secrets, and learns nothing else. */
import { hashSecret } from '@tandem/protocol/secret.ts'
import { MAX_SECRET_HASHES } from '@tandem/protocol/secret-lookup.ts'
import type { OrderRecord } from '@tandem/protocol/wire/order.ts'
import type { SwapContext } from '../swap/context.ts'

/** A service that answers for every index would be asked without end. */
const MOST_INDICES = 20_000

export type FoundOrder = { readonly index: number; readonly record: OrderRecord }

/** By index. Ends after `gap` indices in a row without an order: an index is also used up by an order that was refused. */
export async function* findOrders(
  { client, keys }: Pick<SwapContext, 'client' | 'keys'>,
  gap: number,
  signal?: AbortSignal,
): AsyncGenerator<FoundOrder, void> {
  let unused = 0
  for (let first = 0; unused < gap; first += MAX_SECRET_HASHES) {
    if (first >= MOST_INDICES)
      throw new Error(`the service names orders for ${MOST_INDICES} indices of the phrase: it does not tell the truth`)
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
