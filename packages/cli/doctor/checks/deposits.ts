/** Deposits that must be refunded by hand. */
import { readIgnoredDeposits } from '@tandem/party/store/chain/ignored-deposits.ts'
import { type Check, ok, warn } from '../check.ts'

const TIMEOUT_MS = 30_000
const MOST_SHOWN = 20

export const deposits: Check = {
  name: 'deposits',
  async run({ party, config, readSecret, path }) {
    const url = party === 'service' ? await readSecret(config.database_url).catch(() => null) : null
    if (url === null) return []
    // The check of the database reports why it cannot be read.
    const ignored = await readIgnoredDeposits(url, MOST_SHOWN, TIMEOUT_MS).catch(() => null)
    if (ignored === null) return []
    if (ignored.length === 0) return [ok('all', 'each is refunded automatically if it is not paid for')]
    return ignored.map(({ orderId, chain, deposits: count, amount }) =>
      warn(
        orderId,
        `${count} deposits on ${chain}, ${amount} in all, are not refunded automatically: the order has too many`,
        `after their timelock: tandem refund --order ${orderId} --config ${path} --node KIND=URL --broadcast (docs/refunds.md)`,
      ),
    )
  },
}
