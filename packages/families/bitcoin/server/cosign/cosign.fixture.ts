/** Lets both parties of an HTLC cosign in one test, each on its own side. */
import type { RedeemItem } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { SpendRequest } from '@tandem/chain-kit/port/spend.ts'
import type { TestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import type { InstantRefund, SignedInstantRefund } from '@tandem/protocol/order.ts'

type Refunding = SpendRequest & { readonly to: string }
export type Parties = { readonly initiator: TestSigner; readonly redeemer: TestSigner }

export function instantRefundOf(client: ChainClient): NonNullable<ChainClient['instantRefund']> {
  if (client.instantRefund === undefined) throw new Error('the client lacks the ability instantRefund')
  return client.instantRefund
}

function cosignedRefundOf(client: ChainClient): NonNullable<ChainClient['cosignedRefund']> {
  if (client.cosignedRefund === undefined) throw new Error('the client lacks the ability cosignedRefund')
  return client.cosignedRefund
}

export function batchRedeemOf(client: ChainClient): NonNullable<ChainClient['batchRedeem']> {
  if (client.batchRedeem === undefined) throw new Error('the client lacks the ability batchRedeem')
  return client.batchRedeem
}

export function cosignedRedeemOf(client: ChainClient): NonNullable<ChainClient['cosignedRedeem']> {
  if (client.cosignedRedeem === undefined) throw new Error('the client lacks the ability cosignedRedeem')
  return client.cosignedRedeem
}

export async function signTogether(
  client: ChainClient,
  terms: HtlcTerms,
  refunds: readonly InstantRefund[],
  { initiator, redeemer }: Parties,
): Promise<readonly SignedInstantRefund[]> {
  const { begin, answer } = cosignedRefundOf(client)
  const session = await begin(terms, refunds, initiator)
  return session.finish(await answer(terms, refunds, session.offer, redeemer))
}

export async function signEach(
  client: ChainClient,
  terms: HtlcTerms,
  refunds: readonly InstantRefund[],
  { initiator, redeemer }: Parties,
): Promise<readonly SignedInstantRefund[]> {
  const { sign, combine } = instantRefundOf(client)
  const ofInitiator = (await cosignedRefundOf(client).hashes(terms, refunds)).map(
    (hash) => `${Buffer.from(initiator.signSchnorr(Buffer.from(hash, 'hex'))).toString('hex')}83`,
  )
  return combine(terms, refunds, { initiator: ofInitiator, redeemer: await sign(terms, refunds, redeemer) })
}

export const waysToSign = { 'the key path': signTogether, 'the leaf': signEach } as const

export async function proposeAndSign(
  client: ChainClient,
  terms: HtlcTerms,
  spend: Refunding,
  parties: Parties,
  sign = signTogether,
): Promise<readonly SignedInstantRefund[]> {
  return sign(client, terms, await instantRefundOf(client).propose(terms, spend, sign === signTogether ? 'together' : 'apart'), parties)
}

export async function redeemCosigned(
  client: ChainClient,
  items: readonly (RedeemItem & { readonly initiator: TestSigner })[],
  redeemer: TestSigner,
): Promise<string> {
  const { cosign, draft, verify } = cosignedRedeemOf(client)
  const session = await cosign(items.map(({ initiator, ...item }) => ({ ...item, signer: initiator })))
  const { transaction } = await session.finish(
    await draft(
      items.map((item, index) => ({ ...item, offer: session.offers[index] ?? '' })),
      redeemer,
    ),
  )
  await verify(transaction, items, redeemer)
  return transaction
}
