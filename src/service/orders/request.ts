/** A create-order request as the domain sees it: assets found, addresses checked, amounts as numbers. */
import { createHash } from 'node:crypto'
import type { ChainClient } from '../../chains/family.ts'
import { clientFor } from '../../engine/facts.ts'
import { parseAmount } from '../../protocol/amount.ts'
import { TandemError } from '../../protocol/error.ts'
import { type Hex32, parseSecretHash } from '../../protocol/secret.ts'
import type { CreateOrderRequest } from '../../protocol/wire/order.ts'
import type { ServiceContext } from '../context.ts'
import type { AffiliateShare } from '../quotes/fee.ts'
import { type ActiveAsset, type Pair, parsePair } from '../quotes/pair.ts'

export type OrderRequest = {
  readonly pair: Pair
  readonly sourceAmount: bigint
  readonly destinationAmount: bigint
  /** Null where the user acts through a key made for the order and has not said yet where a refund should go. */
  readonly sourceOwner: string | null
  readonly destinationOwner: string
  /** Who sends the initiation in the owner's place. */
  readonly delegate: string | null
  /** Null: as the app has it. */
  readonly slippageBips: number | null
  readonly nonce: string | null
  readonly solverId: string | null
  readonly affiliateShares: readonly AffiliateShare[]
  /** Of the secret that the client made and keeps; null: the service makes one. */
  readonly secretHash: Hex32 | null
}

export function parseOrderRequest(context: ServiceContext, body: CreateOrderRequest): OrderRequest {
  const pair = parsePair(context, body.source.asset, body.destination.asset, { from: 'source.asset', to: 'destination.asset' })
  const sourceClient = clientFor(context.clients, pair.source.chain)
  const destinationClient = clientFor(context.clients, pair.destination.chain)
  const sourceOwner = parseSourceOwner(sourceClient, pair.source, body.source.owner ?? '')
  const delegate = body.source.delegate ?? ''
  return {
    pair,
    sourceAmount: parseAmount(body.source.amount, 'source.amount'),
    destinationAmount: parseAmount(body.destination.amount, 'destination.amount'),
    sourceOwner,
    destinationOwner: parseOwner(destinationClient, pair.destination, body.destination.owner, 'destination.owner'),
    delegate: delegate === '' ? null : parseDelegate(sourceClient, delegate, sourceOwner),
    slippageBips: body.slippage ?? null,
    nonce: body.nonce === undefined || body.nonce === null ? null : String(body.nonce),
    solverId: body.solver_id ?? null,
    affiliateShares: (body.affiliate_fees ?? []).map(({ address, fee }) => ({ address, feeBips: fee })),
    secretHash: body.secret_hash === undefined || body.secret_hash === null ? null : parseSecretHash(body.secret_hash),
  }
}

function parseSourceOwner(client: ChainClient, asset: ActiveAsset, text: string): string | null {
  if (text === '' && client.userParty === 'order-key') return null
  return parseOwner(client, asset, text, 'source.owner')
}

function parseOwner(client: ChainClient, asset: ActiveAsset, text: string, field: string): string {
  if (text === '') throw new TandemError('invalid_address', `${field} must be an address on ${asset.chain}, got nothing`)
  if (client.userParty === 'order-key' && /^(0x)?[0-9a-fA-F]{64}$/.test(text)) {
    throw new TandemError('bad_request', `${field} must be an address on ${asset.chain}: a public key of your own is not supported yet`)
  }
  const owner = parseAddress(client, text, field)
  const contracts = [asset.deployment.htlc, asset.deployment.token].map((address) => address?.toLowerCase())
  if (contracts.includes(owner.toLowerCase())) {
    throw new TandemError('invalid_address', `${field} is a contract of ${asset.id} itself: what is paid to it is lost`)
  }
  return owner
}

/** Where the chain names the user by a key made for the order, anyone may send the deposit: there is nothing to delegate. */
function parseDelegate(client: ChainClient, text: string, owner: string | null): string | null {
  if (client.userParty === 'order-key') return null
  const delegate = parseAddress(client, text, 'source.delegate')
  return delegate === owner ? null : delegate
}

export function parseAddress(client: ChainClient, text: string, field: string): string {
  try {
    return client.parseAddress(text)
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    throw new TandemError(error.code, `${field}: ${error.message}`, { cause: error })
  }
}

/** Two requests are the same request when this is equal: written differently, asking for the same. */
export function hashRequest(request: OrderRequest): string {
  const meaning = [
    request.pair.source.id,
    request.pair.destination.id,
    request.sourceAmount.toString(),
    request.destinationAmount.toString(),
    request.sourceOwner,
    request.destinationOwner,
    request.delegate,
    request.slippageBips,
    request.nonce,
    request.solverId,
    request.affiliateShares.map(({ address, feeBips }) => [address, feeBips]),
    request.secretHash,
  ]
  return createHash('sha256').update(JSON.stringify(meaning)).digest('hex')
}
