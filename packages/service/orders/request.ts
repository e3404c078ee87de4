/** A create-order request is parsed: assets are found, addresses checked, amounts read. */
import { hash } from 'node:crypto'
import type { UserKey } from '@tandem/chain-kit/port/abilities/spending.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { createKey, randomPrivateKey } from '@tandem/keys/keyring.ts'
import { clientFor } from '@tandem/party/engine/facts.ts'
import { parseAmount } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { type Hex32, parseSecretHash } from '@tandem/protocol/secret.ts'
import type { CreateOrderRequest } from '@tandem/protocol/wire/order.ts'
import { takesDeposits } from '../catalog.ts'
import type { ServiceContext } from '../context.ts'
import { type AffiliateShare, parseShares } from '../earnings/shares.ts'
import { type ActiveAsset, type Pair, parsePair } from '../quotes/pair.ts'

export type OrderRequest = {
  readonly pair: Pair
  readonly sourceAmount: bigint
  readonly destinationAmount: bigint
  /** The owner is null if the user takes part through an order key and has not set a refund address yet. */
  readonly sourceOwner: Owner
  readonly destinationOwner: NonNullable<Owner>
  /** The `delegate` of the request is an account that pays and initiates in the owner's place. */
  readonly payer: string | null
  readonly slippageBips: number | null
  readonly nonce: string | null
  readonly solverId: string | null
  readonly quoteId: string | null
  /** The user accepts the requested amount although the quote is better. */
  readonly acceptWorse: boolean
  readonly affiliateShares: readonly AffiliateShare[]
  /** The user asks for a deposit address. */
  readonly deposit: boolean
  /** The payout also gives the recipient some of the chain's coin. */
  readonly destinationGas: boolean
  /** The client made and keeps the secret of this hash. It is null if the service makes the secret. */
  readonly secretHash: Hex32 | null
}

export function parseOrderRequest(context: ServiceContext, body: CreateOrderRequest): OrderRequest {
  const pair = parsePair(context, body.source.asset, body.destination.asset, { from: 'source.asset', to: 'destination.asset' })
  const sourceClient = clientFor(context.clients, pair.source.chain)
  const destinationClient = clientFor(context.clients, pair.destination.chain)
  const sourceOwner = parseSourceOwner(sourceClient, pair.source, body.source.owner ?? '')
  const destinationOwner = parseOwner(destinationClient, pair.destination, body.destination.owner, 'destination.owner')
  const secretHash = body.secret_hash === undefined || body.secret_hash === null ? null : parseSecretHash(body.secret_hash)
  assertUsableKeys(sourceOwner, destinationOwner, secretHash)
  const delegate = body.source.delegate ?? ''
  const payer = delegate === '' ? null : parsePayer(sourceClient, delegate, sourceOwner?.name ?? null)
  const deposit = body.deposit === 'address'
  if (deposit) assertTakesDeposits(sourceClient, payer)
  if (sourceOwner !== null) inField('source', () => sourceClient.text.assertInitiator?.(sourceOwner.name, payer))
  return {
    pair,
    sourceAmount: parseAmount(body.source.amount, 'source.amount'),
    destinationAmount: parseAmount(body.destination.amount, 'destination.amount'),
    sourceOwner,
    destinationOwner,
    payer,
    slippageBips: body.slippage ?? null,
    nonce: body.nonce === undefined || body.nonce === null ? null : String(body.nonce),
    solverId: body.solver_id ?? null,
    quoteId: body.quote_id ?? null,
    acceptWorse: body.accept_worse ?? false,
    affiliateShares: parseShares(context, body.affiliate_fees, pair.source),
    deposit,
    destinationGas: parseDestinationGas(body, destinationOwner),
    secretHash,
  }
}

/** Whoever redeems by a key of their own has the coin to do so. */
function parseDestinationGas({ destination_gas: asked }: CreateOrderRequest, { key }: NonNullable<Owner>): boolean {
  if (asked === true && key !== null)
    throw new TandemError(
      'bad_request',
      'destination_gas: destination.owner is a key of your own, so you redeem, not the service: leave it out',
    )
  return asked ?? false
}

/** Where the HTLC itself is an address, every order is funded by a transfer. */
function assertTakesDeposits(client: ChainClient, payer: string | null): void {
  if (!takesDeposits(client))
    throw new TandemError(
      'bad_request',
      `deposit: an order on ${client.chain.id} has no deposit address: leave it out, and fund the order by wallet as the answer says`,
    )
  if (payer !== null)
    throw new TandemError('bad_request', 'source.delegate has no meaning with deposit: anyone may pay the address: leave one of them out')
}

function assertUsableKeys(source: Owner, destination: NonNullable<Owner>, secretHash: Hex32 | null): void {
  if (destination.key === null) return
  if (secretHash === null)
    throw new TandemError(
      'bad_request',
      'destination.owner is a public key of your own, so only you can redeem, and you need the secret to redeem: make a secret and give its secret_hash',
    )
  if (destination.key.identity === source?.key?.identity)
    throw new TandemError('bad_request', 'source.owner and destination.owner are the same public key: use a different one on each side')
}

function parseSourceOwner(client: ChainClient, asset: ActiveAsset, text: string): Owner {
  if (text === '' && client.orderKeys !== undefined) return null
  return parseOwner(client, asset, text, 'source.owner')
}

function parseOwner(client: ChainClient, asset: ActiveAsset, text: string, field: string): NonNullable<Owner> {
  if (text === '') throw new TandemError('invalid_address', `${field} must be an address on ${asset.chain}, got nothing`)
  const key = inField(field, () => client.orderKeys?.parseUserKey(text) ?? null)
  if (key !== null) return { name: key.identity, key }
  const name = parseAddress(client, text, field)
  const isOurs = (contract: string | null) => contract !== null && client.text.comparable(contract) === client.text.comparable(name)
  if (isOurs(asset.deployment.htlc) || isOurs(asset.deployment.token)) {
    throw new TandemError('invalid_address', `${field} is a contract of ${asset.id} itself: money paid to it is lost`)
  }
  return { name, key: null }
}

function parsePayer(client: ChainClient, text: string, owner: string | null): string | null {
  if (client.orderKeys !== undefined)
    throw new TandemError(
      'bad_request',
      `source.delegate has no meaning on ${client.chain.id}, where anyone may send the deposit: leave it out (the order record names the key of the order as delegate)`,
    )
  const payer = parseAddress(client, text, 'source.delegate')
  return payer === owner ? null : payer
}

export function parseAddress(client: ChainClient, text: string, field: string): string {
  return inField(field, () => client.text.parseAddress(text))
}

function inField<T>(field: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    throw new TandemError(error.code, `${field}: ${error.message}`, { cause: error })
  }
}

/** Two requests with the same meaning have the same hash, in any notation. */
export function hashRequest(request: OrderRequest): string {
  const meaning = [
    request.pair.source.id,
    request.pair.destination.id,
    request.sourceAmount.toString(),
    request.destinationAmount.toString(),
    request.sourceOwner?.name ?? null,
    request.destinationOwner.name,
    request.payer,
    request.slippageBips,
    request.nonce,
    request.solverId,
    request.affiliateShares.map(({ address, asset, feeBips }) => [address, asset.id, feeBips]),
    request.secretHash,
    // Requests without these fields must keep the hash that is stored for older orders.
    ...(request.quoteId !== null || request.acceptWorse ? [request.quoteId, request.acceptWorse] : []),
    ...(request.deposit ? ['deposit: address'] : []),
    ...(request.destinationGas ? ['destination_gas'] : []),
  ]
  return hash('sha256', JSON.stringify(meaning))
}

export type UserParty = {
  readonly identity: string
  /** The key is in hex, on the curve of the chain, and sealed with the order. It is null if the users sign for themselves. */
  readonly privateKey: string | null
  /** Redeems and refunds pay this address. It is null until the user sets it. */
  readonly address: string | null
  /** The user keeps the key that is in the terms, so the service cannot sign for them. */
  readonly clientKey: boolean
}

/** The request names the user by an account, an address, or a key of their own with its address. Null means not given yet. */
export type Owner = { readonly name: string; readonly key: UserKey | null } | null

/** `owner` may be null only on chains with order keys. */
export function createUserParty(client: ChainClient, owner: Owner): UserParty {
  if (owner !== null && owner.key !== null) {
    return { identity: owner.key.identity, privateKey: null, address: owner.key.address, clientKey: true }
  }
  const address = owner?.name ?? null
  if (client.orderKeys === undefined) {
    if (address === null) throw new Error(`a user on ${client.chain.id} takes part as an account`)
    return { identity: address, privateKey: null, address, clientKey: false }
  }
  const privateKey = randomPrivateKey(client.curve)
  return { identity: client.identityOf(createKey(client.curve, privateKey)), privateKey, address, clientKey: false }
}
