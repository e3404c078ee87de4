/**
 * Whether a lock is settled, by the signer's own nodes. It is not settled because its money is gone: that may be in a thief's hands while its source is refunded.
 *
 * collected   its source was redeemed, by us: nobody else can. Where the chain tells only that a deposit is gone, it was a redeem if no refund was possible yet
 * refunded    it came back to us
 * dead        none of its transactions can be mined any more, and it is not there
 *
 * What was lost is never settled, so all that can be lost together is what may be open.
 */
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { DepositReading } from '@tandem/chain-kit/port/htlc-reading.ts'
import type { MarkReader } from '@tandem/chain-kit/port/signing-facts.ts'
import type { PublicKeyring } from '@tandem/keys/keyring.ts'
import { parseAssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { Hex32 } from '@tandem/protocol/secret.ts'
import type { TermsEntry } from '../journal/entries.ts'
import type { OpenLock } from '../journal/open-locks.ts'

export type SettledContext = {
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly markReaders: ReadonlyMap<ChainId, MarkReader>
  readonly keys: PublicKeyring
  readonly now: () => bigint
}

/**
 * Where no node shows what became of a transaction, it is taken for dead so long after its timelock: nodes of these chains take none that is older, by its
 * blockhash, its reference block or the end of its escrow.
 */
const SIGNATURE_SECONDS = 3 * 86_400
/** Nodes differ by some blocks: one may know that a nonce is used before another shows the lock that used it. */
const LAG_SECONDS = 600
/** A lock that was signed more often costs too many requests. */
const MAX_MARKS = 64

/** It counts if it is read again after `afterSeconds`. */
export type Settlement = { readonly why: string; readonly afterSeconds: number }

/** Returns null while the lock is open. Rejects if the nodes do not answer. */
export async function readSettlement(context: SettledContext, lock: OpenLock): Promise<Settlement | null> {
  const { clients, keys } = context
  const [client, sourceClient] = [clients.get(lock.chain), clients.get(lock.source.chain)]
  if (client === undefined || sourceClient === undefined) return null
  const now = Number(context.now())
  const { deposits: source } = await sourceClient.readHtlc(termsOf(lock, lock.source.terms), lock.source.deposits)
  if (isCollected(lock, source, now)) return settled('its source is collected')
  const { deposits } = await client.readHtlc(termsOf(lock, lock.terms), [])
  if (deposits.length > 0 && deposits.every(({ state }) => state === 'refunded')) return settled('it was refunded')
  if (deposits.some(({ state }) => state !== 'absent' && state !== 'gone')) return null
  const reader = context.markReaders.get(lock.chain)
  if (reader === undefined) return now >= lock.ends + SIGNATURE_SECONDS ? settled('its transaction is too old for the chain') : null
  const key = keys.of(client)
  const ids = lock.transactions.flatMap(({ id }) => id ?? [])
  for (const id of ids) if ((await reader.cameBack?.(id, key)) === true) return settled('it came back')
  return (await areDead(lock, (mark) => reader.isUsedByOther(mark, key, new Set(ids))))
    ? settled('it can never be mined', LAG_SECONDS)
    : null
}

function settled(why: string, afterSeconds = 0): Settlement {
  return { why, afterSeconds }
}

function isCollected({ sourceEnds, unfinalUntil }: OpenLock, source: readonly DepositReading[], now: number): boolean {
  if (source.length === 0) return false
  const cannotBeRefunded = now < sourceEnds && now >= unfinalUntil
  return source.every(({ state }) => state === 'redeemed' || (state === 'gone' && cannotBeRefunded))
}

/** A transaction is dead if a mined one has used up one of its marks. */
async function areDead({ transactions }: OpenLock, isUsed: (mark: string) => Promise<boolean>): Promise<boolean> {
  const marks = [...new Set(transactions.flatMap((one) => one.marks))]
  if (marks.length > MAX_MARKS) return false
  const used = new Set<string>()
  for (const mark of marks) if (await isUsed(mark)) used.add(mark)
  return transactions.every((one) => one.marks.some((mark) => used.has(mark)))
}

function termsOf({ secretHash }: OpenLock, { asset, initiator, redeemer, amount, timelock }: TermsEntry): HtlcTerms {
  return {
    asset: parseAssetId(asset),
    initiator,
    redeemer,
    amount: BigInt(amount),
    secretHash: secretHash as Hex32,
    timelock: BigInt(timelock),
  }
}
