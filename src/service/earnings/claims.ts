/** What affiliates can claim on each chain, with the signatures that they need. */
import type { ChainClient } from '../../chains/port/client.ts'
import { ChainFailure } from '../../chains/port/failure.ts'
import type { Key } from '../../keys/key.ts'
import type { Keyring } from '../../keys/keyring.ts'
import type { Logger } from '../../log.ts'
import type { AssetId } from '../../protocol/asset.ts'
import type { ChainId } from '../../protocol/chain-id.ts'
import { TandemError } from '../../protocol/error.ts'

/** `total`: all that the affiliate has earned, in final orders. */
export type Earned = { readonly affiliate: string; readonly chain: ChainId; readonly asset: AssetId; readonly total: bigint }

export type ClaimState =
  /** Everything is paid, or affiliates are not paid on this chain. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'claimable'
      readonly amount: bigint
      /** What is signed. */
      readonly total: bigint
      readonly signature: string
      readonly contract: string
    }
  /** Something is due and cannot be claimed now. */
  | { readonly kind: 'unavailable'; readonly reason: string }

export interface Claims {
  /** Whether affiliates can be paid on this chain. */
  paysOn(chain: ChainId): boolean
  /** In the order of `earned`. */
  read(earned: readonly Earned[]): Promise<readonly ClaimState[]>
}

type Context = { readonly clients: ReadonlyMap<ChainId, ChainClient>; readonly log: Logger }
type Payer = { readonly client: ChainClient; readonly distributor: NonNullable<ChainClient['distributor']>; readonly key: Key }

const NONE: ClaimState = { kind: 'none' }

/** `keys`: null if affiliates are not paid by contracts. */
export function createClaims({ clients, log }: Context, keys: Keyring | null): Claims {
  /** Code does not change. */
  const deployed = new Set<ChainId>()

  function payerOn(chain: ChainId): Payer | null {
    const client = clients.get(chain)
    const key = client === undefined ? null : (keys?.find(client.curve) ?? null)
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
      const states = await readClaims(payer, chain, payable)
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

/** Accounts from before affiliates were paid may be any text. Another form of an address would be another account here and the same in the contract. */
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

async function readClaims({ client, distributor, key }: Payer, chain: ChainId, earned: readonly Earned[]): Promise<readonly ClaimState[]> {
  const contract = distributor.contractOf(key)
  const assets = [...new Set(earned.map(({ asset }) => asset))]
  const [paid, held] = await Promise.all([
    distributor.paid(
      key,
      earned.map(({ affiliate, asset }) => ({ recipient: affiliate, asset })),
    ),
    Promise.all(assets.map(async (asset) => [asset, await client.balance(asset, contract)] as const)).then((all) => new Map(all)),
  ])
  return earned.map(({ affiliate, asset, total }, index): ClaimState => {
    const amount = total - (paid[index] ?? 0n)
    if (amount <= 0n) return NONE
    const balance = held.get(asset) ?? 0n
    if (balance < amount)
      return { kind: 'unavailable', reason: `${contract} holds ${balance} of the ${amount} that are due: the operator has to fund it` }
    const signer = key.signerFor({ kind: 'claim', chain, asset, recipient: affiliate, total })
    return { kind: 'claimable', amount, total, contract, signature: distributor.sign(signer, { recipient: affiliate, asset, total }) }
  })
}
