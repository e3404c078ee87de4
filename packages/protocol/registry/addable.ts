/** An operator may add chains and assets of known families to the registry. This file says how they are written, and what a family answers. */
import type { Asset } from '../asset.ts'
import type { Chain } from '../chain.ts'
import type { EnvironmentName } from './environment.ts'
import type { Currency } from './listing.ts'

/** Configurations of service and solver and the options of the SDK have the same form, so that an operator can pass it on as it is. */
export type RegistryAdditions = {
  readonly chains?: Readonly<Record<string, AddedChain>>
  readonly assets?: Readonly<Record<string, AddedAsset>>
}

export type WrittenIcon = { readonly text: string; readonly color: string }

/** What is absent is that of the kind. Times are in milliseconds. */
export type AddedChain = {
  readonly family: string
  /** A family names the kinds of its chains. */
  readonly kind: string
  readonly reference: string
  readonly name: string
  /** The symbol of the coin that pays fees. */
  readonly coin: string
  readonly icon: WrittenIcon
  readonly explorer_url?: string
  readonly explorer_tx_url?: string
  readonly block_ms?: number
  readonly fastest_block_ms?: number
  readonly slowest_block_ms?: number
  readonly confirmations?: number
  readonly final_blocks?: number
  readonly finality_tag?: 'safe' | 'finalized' | 'none'
  readonly unfinal_usd?: string
  /** In the unit of the chain's clock. */
  readonly timelocks?: { readonly source: string; readonly destination: string }
  /** Only the family reads this. */
  readonly details?: Readonly<Record<string, string | boolean>>
}

export type AddedAsset = {
  /** The address of the token in the form of its family; null for the chain's own coin. */
  readonly token: string | null
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** The smallest and the largest swap, in the smallest unit. */
  readonly min: string
  readonly max: string
  /** It may be absent for a symbol that the registry draws already. */
  readonly icon?: WrittenIcon
  /** The default is the symbol in upper case. */
  readonly market?: string
}

/** What the chains of one kind share. What is absent must be written for each chain. */
export type ChainKind = Omit<
  Chain,
  'id' | 'reference' | 'displayName' | 'icon' | 'nativeAsset' | 'explorerUrl' | 'explorerTxUrl' | 'publicRpcs' | 'clockException' | OfEach
> &
  Partial<Pick<Chain, OfEach>>

type OfEach = 'blockMs' | 'requiredConfirmations'

/** A family that takes additions has this in its `terms/registry.ts`. */
export type AddableFamily = {
  /** By name. Where there is none, chains of the family cannot be added. */
  readonly kinds: Readonly<Record<EnvironmentName, Readonly<Record<string, ChainKind>>>>
  readonly reference: { readonly pattern: RegExp; readonly example: string }
  /** Returns the family's own data of a chain. Throws for details that it does not know. */
  familyData(kind: ChainKind, details: Readonly<Record<string, string | boolean>>): object | undefined
  /** It is null where the chain's own coin cannot be swapped. */
  readonly coin: { readonly decimals: number; asset(chain: Chain, coin: Currency): Asset } | null
  /** It is null where there are no tokens. */
  readonly token: AddableToken | null
}

export type AddableToken = {
  readonly pattern: RegExp
  readonly form: string
  /** A contract of this chain counts with at most so many decimals. */
  readonly maxDecimals: number
  /** The address of a token is one of an account, so what checks those checks it too. */
  readonly isAccount: boolean
  asset(chain: Chain, token: Currency, address: string): Asset
}

/** For families without such details. */
export function withoutDetails(kind: ChainKind, details: Readonly<Record<string, string | boolean>>): object | undefined {
  const [name] = Object.keys(details)
  if (name !== undefined) throw new Error(`chains of the family "${kind.family}" have no details, got "${name}"`)
  return kind.familyData
}
