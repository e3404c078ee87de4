/** Claims are what affiliates can take on each chain, with the signatures that they need. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import { withLock } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { durably } from '@tandem/party/store/database/durably.ts'
import { type PayingContract, readOpenClaims, recordClaims, type SignedClaim } from '@tandem/party/store/ledger/signed-claims.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import { max } from '@tandem/protocol/bigint.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Logger } from '@tandem/runtime/log.ts'

/** `total` is all that the affiliate has earned in final orders and that solvers have paid in. */
export type Earned = { readonly affiliate: string; readonly chain: ChainId; readonly asset: AssetId; readonly total: bigint }

export type ClaimState =
  /** Either everything is paid, or no contract pays affiliates on this chain. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'claimable'
      readonly amount: bigint
      readonly total: bigint
      readonly signature: string
      readonly contract: string
    }
  /** Something is due but cannot be claimed now. */
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface Claims {
  paysOn(chain: ChainId): boolean
  /** The result is in the order of `earned`. */
  read(earned: readonly Earned[]): Promise<readonly ClaimState[]>
}

type Context = { readonly db: Database; readonly clients: ReadonlyMap<ChainId, ChainClient>; readonly log: Logger }
type Payer = { readonly client: ChainClient; readonly distributor: NonNullable<ChainClient['distributor']>; readonly key: Key }

const NONE: ClaimState = { kind: 'none' }

/** `keys` is null if no contract pays affiliates. */
export function createClaims({ db, clients, log }: Context, keys: Keyring | null): Claims {
  /** A chain stays in this set for good, because the code of a contract does not change. */
  const deployed = new Set<ChainId>()

  function payerOn(chain: ChainId): Payer | null {
    const client = clients.get(chain)
    const key = client === undefined ? null : (keys?.find(client) ?? null)
    return client?.distributor === undefined || key === null ? null : { client, distributor: client.distributor, key }
  }

  async function readChain(chain: ChainId, earned: readonly Earned[]): Promise<readonly ClaimState[]> {
    const payer = payerOn(chain)
    if (payer === null) return earned.map(() => NONE)
    try {
      if (!deployed.has(chain)) {
        if (!(await payer.distributor.isDeployed(payer.key)))
          return earned.map(() => ({ kind: 'unavailable', reason: `the contract that pays affiliates is not deployed on ${chain} yet` }))
        deployed.add(chain)
      }
      const payable = earned.filter(({ affiliate }) => isPayable(payer.client, affiliate))
      const states = payable.length === 0 ? [] : await signClaims(db, payer, chain, payable)
      return earned.map((one) => states[payable.indexOf(one)] ?? { kind: 'unavailable', reason: whyUnpayable(one) })
    } catch (error) {
      if (!(error instanceof ChainFailure)) throw error
      log.warn({ chain, err: error }, 'the claims of affiliates cannot be read')
      return earned.map(() => ({ kind: 'unavailable', reason: `${chain} cannot be read at the moment` }))
    }
  }

  return {
    paysOn: (chain) => payerOn(chain) !== null,
    async read(earned) {
      const chains = [...new Set(earned.map(({ chain }) => chain))]
      const states = new Map<Earned, ClaimState>()
      await Promise.all(
        chains.map(async (chain) => {
          const here = earned.filter((one) => one.chain === chain)
          for (const [index, state] of (await readChain(chain, here)).entries()) states.set(here[index] as Earned, state)
        }),
      )
      return earned.map((one) => states.get(one) ?? NONE)
    },
  }
}

/** Old accounts may be any text. A non-canonical form of an address would be another account in the ledger but the same in the contract. */
export function isPayable({ text }: Pick<ChainClient, 'text'>, affiliate: string): boolean {
  try {
    return text.parseAddress(affiliate) === affiliate
  } catch (error) {
    if (!(error instanceof TandemError)) throw error
    return false
  }
}

export function whyUnpayable({ affiliate, chain }: Pick<Earned, 'affiliate' | 'chain'>): string {
  return `"${affiliate}" is not an address on ${chain}: the operator has to pay it in another way`
}

const BATCH = 100

/**
 * The sum of all signed and unpaid claims is never more than the contract holds, because signatures work at any time and in any order. A
 * lock admits one signer at a time for each contract, across processes.
 */
async function signClaims(
  db: Database,
  { client, distributor, key }: Payer,
  chain: ChainId,
  earned: readonly Earned[],
): Promise<readonly ClaimState[]> {
  const paying: PayingContract = { chain, contract: distributor.contractOf(key) }
  const { contract } = paying
  const readPaid = async (accounts: readonly { readonly affiliate: string; readonly asset: AssetId }[]) => {
    const paid: bigint[] = []
    for (let from = 0; from < accounts.length; from += BATCH) {
      const batch = accounts.slice(from, from + BATCH).map(({ affiliate, asset }) => ({ recipient: affiliate, asset }))
      paid.push(...(await distributor.paid(key, batch)))
    }
    return paid
  }
  return withLock(db, `sign claims ${chain} ${contract}`, async (connection) => {
    const paid = await readPaid(earned)
    // The balance is read after the payments, so that a claim that is paid in between counts twice, which is safe, instead of not at all.
    const held = await readHeld(client, contract, earned)
    let open = await readOpenClaims(connection, paying)
    let signed = choose(earned, paid, held, open)
    // Others may have claimed meanwhile. Their payments are read only if that matters.
    if (signed.some((one) => one.isShort) && open.length > 0) {
      const fresh = await readPaid(open)
      open = open.map((claim, index) => ({ ...claim, paid: max(claim.paid, fresh[index] ?? 0n) }))
      await recordClaims(connection, paying, open)
      signed = choose(earned, paid, await readHeld(client, contract, earned), open)
    }
    const given = signed.filter(({ amount, isShort }) => amount > 0n && !isShort)
    await durably(connection, (tx) => recordClaims(tx, paying, given))
    const signOne = async ({ affiliate, asset, total, amount, isShort, left }: Choice): Promise<ClaimState> => {
      if (amount <= 0n) return NONE
      if (isShort)
        return {
          kind: 'unavailable',
          reason: `${contract} holds ${left} of the ${amount} that are due, besides what is promised to others: the operator has to fund it`,
        }
      const signer = key.signerFor({ kind: 'claim', chain, asset, recipient: affiliate, total })
      const signature = await distributor.sign(signer, { recipient: affiliate, asset, total })
      return { kind: 'claimable', amount, total, contract, signature }
    }
    return Promise.all(signed.map(signOne))
  })
}

async function readHeld(client: ChainClient, contract: string, earned: readonly Earned[]): Promise<ReadonlyMap<AssetId, bigint>> {
  const assets = [...new Set(earned.map(({ asset }) => asset))]
  return new Map(await Promise.all(assets.map(async (asset) => [asset, await client.balance(asset, contract)] as const)))
}

type Choice = SignedClaim & {
  readonly amount: bigint
  /** The contract cannot pay this claim in addition to what is promised to others. */
  readonly isShort: boolean
  readonly left: bigint
}

function choose(
  earned: readonly Earned[],
  paid: readonly bigint[],
  held: ReadonlyMap<AssetId, bigint>,
  open: readonly SignedClaim[],
): readonly Choice[] {
  const nameOf = ({ affiliate, asset }: Pick<SignedClaim, 'affiliate' | 'asset'>) => `${asset} ${affiliate}`
  const paidNow = new Map(earned.map((one, index) => [nameOf(one), paid[index] ?? 0n]))
  const promised = new Map<AssetId, bigint>()
  const promisedTo = new Map<string, bigint>()
  const promise = (claim: Pick<SignedClaim, 'affiliate' | 'asset'>, amount: bigint) => {
    promised.set(claim.asset, (promised.get(claim.asset) ?? 0n) + amount)
    promisedTo.set(nameOf(claim), (promisedTo.get(nameOf(claim)) ?? 0n) + amount)
  }
  for (const claim of open) promise(claim, max(0n, claim.total - max(claim.paid, paidNow.get(nameOf(claim)) ?? 0n)))
  return earned.map((one, index) => {
    const { affiliate, asset, total } = one
    const before = paid[index] ?? 0n
    const amount = total - before
    // An earlier promise to the same affiliate is a part of this claim.
    const own = promisedTo.get(nameOf(one)) ?? 0n
    const others = (promised.get(asset) ?? 0n) - own
    const left = max(0n, (held.get(asset) ?? 0n) - others)
    const isShort = amount > left
    if (amount > own && !isShort) promise(one, amount - own)
    return { affiliate, asset, total, paid: before, amount, isShort, left: left < amount ? left : amount }
  })
}
