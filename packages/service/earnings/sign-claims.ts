/** An engine signs what affiliates can claim. It believes nothing of the question: it reads what they earned from the ledger, and the rest from the chain. */

import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Key } from '@tandem/keys/key.ts'
import type { Keyring } from '@tandem/keys/keyring.ts'
import { withLock } from '@tandem/party/store/actions/leases.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { durably } from '@tandem/party/store/database/durably.ts'
import { readClaimable } from '@tandem/party/store/ledger/ledger.ts'
import { type PayingContract, readOpenClaims, recordClaims, type SignedClaim } from '@tandem/party/store/ledger/signed-claims.ts'
import type { Asset, AssetId } from '@tandem/protocol/asset.ts'
import { max } from '@tandem/protocol/bigint.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import type { Logger } from '@tandem/runtime/log.ts'
import type { ClaimQuestion, ClaimState, SignClaims } from './claim-question.ts'
import { isPayable, whyUnpayable } from './payable.ts'

/** `total` is all that the affiliate has earned in final orders and that solvers have paid in. */
type Earned = { readonly affiliate: string; readonly asset: AssetId; readonly total: bigint }

type Context = {
  readonly db: Database
  readonly registry: { readonly assets: readonly Pick<Asset, 'id' | 'chain'>[] }
  readonly clients: ReadonlyMap<ChainId, ChainClient>
  readonly log: Logger
}
type Payer = {
  readonly client: ChainClient
  readonly distributor: NonNullable<ChainClient['distributor']>
  readonly key: Key
  readonly paying: PayingContract
}

const NONE: ClaimState = { kind: 'none' }
const unavailable = (reason: string): ClaimState => ({ kind: 'unavailable', reason })

export function createClaimSigner({ db, registry, clients, log }: Context, keys: Keyring): SignClaims {
  /** A chain stays in this set for good, because the code of a contract does not change. */
  const deployed = new Set<ChainId>()

  /** Resolves to the reason if nothing can be claimed by this contract. */
  async function findPayer(chain: ChainId, contract: string): Promise<Payer | string> {
    const client = clients.get(chain)
    const key = client === undefined ? null : keys.find(client)
    if (client?.distributor === undefined || key === null)
      return `the engine does not serve ${chain}, or has no key that signs claims on it`
    const { distributor } = client
    const own = distributor.contractOf(key)
    if (own !== contract)
      return `the engine signs for ${own} and the API expects ${contract}: earnings.signing_key must be the same key in both configurations`
    if (!deployed.has(chain) && !(await distributor.isDeployed(key)))
      return `the contract that pays affiliates is not deployed on ${chain} yet`
    deployed.add(chain)
    return { client, distributor, key, paying: { chain, contract } }
  }

  async function signOn(chain: ChainId, { asset, contract, affiliates }: ClaimQuestion): Promise<readonly ClaimState[]> {
    const payer = await findPayer(chain, contract)
    if (typeof payer === 'string') return affiliates.map(() => unavailable(payer))
    const totals = await readClaimable(db, asset, affiliates)
    const earned = affiliates.map((affiliate) => ({ affiliate, asset, total: totals.get(affiliate) ?? 0n }))
    const payable = earned.filter(({ affiliate }) => isPayable(payer.client, affiliate))
    const states = payable.length === 0 ? [] : await signClaims(db, payer, payable)
    return earned.map((one) => states[payable.indexOf(one)] ?? unavailable(whyUnpayable({ ...one, chain })))
  }

  return async (question) => {
    const { asset, affiliates } = question
    const chain = registry.assets.find(({ id }) => id === asset)?.chain
    if (chain === undefined) return affiliates.map(() => unavailable(`the engine does not know ${asset}`))
    try {
      return await signOn(chain, question)
    } catch (error) {
      if (!(error instanceof ChainFailure)) throw error
      log.warn({ chain, err: error }, 'the claims of affiliates cannot be read')
      return affiliates.map(() => unavailable(`${chain} cannot be read at the moment`))
    }
  }
}

const BATCH = 100

/**
 * The sum of all signed and unpaid claims is never more than the contract holds, because signatures work at any time and in any order. A
 * lock admits one signer at a time for each contract, across processes.
 */
async function signClaims(
  db: Database,
  { client, distributor, key, paying }: Payer,
  earned: readonly Earned[],
): Promise<readonly ClaimState[]> {
  const { chain, contract } = paying
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
    return Promise.all(
      signed.map(async ({ affiliate, asset, total, amount, isShort, left }): Promise<ClaimState> => {
        if (amount <= 0n) return NONE
        if (isShort)
          return unavailable(
            `${contract} holds ${left} of the ${amount} that are due, besides what is promised to others: the operator has to fund it`,
          )
        const signer = key.signerFor({ kind: 'claim', chain, asset, recipient: affiliate, total })
        const signature = await distributor.sign(signer, { recipient: affiliate, asset, total })
        return { kind: 'claimable', amount, total, contract, signature }
      }),
    )
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
