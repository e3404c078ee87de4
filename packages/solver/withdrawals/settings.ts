/** Reads from the configuration where inventory may be sent, and how much of it. */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import type { SolverConfig } from '@tandem/party/config/schema.ts'
import type { Withdrawal } from '@tandem/party/store/solver/withdrawals.ts'
import { parseUsdMicros } from '@tandem/protocol/amount.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'

export type WithdrawalSettings = {
  /** The canonical addresses of each served chain. It is empty if the configuration allows no withdrawals. */
  readonly addresses: ReadonlyMap<ChainId, readonly string[]>
  readonly delaySeconds: bigint
  /** Null means no maximum. */
  readonly maxUsdMicros: bigint | null
}

export const HOW_TO_ALLOW =
  'add "withdrawals": {"addresses": {"<chain>": ["<address>"]}} to the configuration of the solver and restart it: see docs/withdrawals.md'

/** Throws for an address that the chain does not have: an address with a typing error must not be found only when money leaves. */
export function withdrawalSettings({
  config,
  clients,
  keys,
}: {
  readonly config: Pick<SolverConfig, 'withdrawals' | 'chains'>
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly keys: PublicKeyring
}): WithdrawalSettings {
  const { addresses = {}, delay_seconds: delay = 0, max_usd_per_day: max } = config.withdrawals ?? {}
  const parsed = Object.entries(addresses).flatMap(([chain, texts]) => {
    if (!(chain in config.chains)) throw new Error(`withdrawals.addresses: ${chain} is not in chains`)
    const client = clients.get(chain)
    // A chain whose node does not answer at the start is not served, and nothing is sent there.
    return client === undefined ? [] : [[chain, texts.map((text) => parseFor(client, keys, text))] as const]
  })
  return { addresses: new Map(parsed), delaySeconds: BigInt(delay), maxUsdMicros: max === undefined ? null : parseUsdMicros(max) }
}

function parseFor(client: ChainClient, keys: PublicKeyring, text: string): string {
  const place = `withdrawals.addresses.${client.chain.id}`
  let address: string
  try {
    address = client.text.parseAddress(text)
  } catch (error) {
    if (error instanceof TandemError) throw new Error(`${place}: ${error.message}`)
    throw error
  }
  if (address === client.addressOf(keys.of(client))) throw new Error(`${place}: ${text} is the address of the solver itself`)
  return address
}

/** Null means that the configuration lists the recipient, and that the amount is one. */
export function whyNotAllowed(
  { addresses }: Pick<WithdrawalSettings, 'addresses'>,
  { chain, recipient, amount }: Pick<Withdrawal, 'chain' | 'recipient' | 'amount'>,
): string | null {
  // A negative amount would raise what is left of the limit of the day, and what is quoted.
  if (amount <= 0n) return `the amount ${amount} cannot be sent`
  const listed = addresses.get(chain)
  if (listed === undefined) return `the configuration lists no address for withdrawals on ${chain}: ${HOW_TO_ALLOW}`
  if (listed.includes(recipient)) return null
  return `${recipient} is not in withdrawals.addresses.${chain} of the configuration`
}
