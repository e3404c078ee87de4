/** The chains and assets that can be swapped here. */
import { computed, signal } from '@preact/signals'
import { formatAmount } from '../../shared/amount.ts'
import { type Explanation, explain } from '../../shared/explain.ts'
import { openClient } from './tandem.ts'

type Chains = Awaited<ReturnType<ReturnType<typeof openClient>['chains']>>
export type Chain = Chains[number]

export type Asset = {
  readonly id: string
  readonly symbol: string
  readonly name: string
  readonly icon: string
  readonly decimals: number
  readonly min: bigint
  readonly max: bigint
  readonly isToken: boolean
  readonly isActive: boolean
  readonly price: string
  readonly chain: Chain
}

const REFRESH_MS = 60_000

const chains = signal<readonly Chain[]>([])
export const assets = computed(() => chains.value.flatMap((chain) => chain.assets.map((asset) => toAsset(chain, asset))))

export function findAsset(id: string): Asset | null {
  return assets.value.find((asset) => asset.id === id) ?? null
}

/** The coin of a chain need not be listed. */
export function symbolOf(id: string): string {
  return findAsset(id)?.symbol ?? id.slice(id.indexOf(':') + 1).toUpperCase()
}

export function findChain(id: string): Chain | null {
  return chains.value.find(({ chain }) => chain === id) ?? null
}

/** The family of a chain, as wallets name it: the first part of the names of its contracts. */
export function familyOf({ supported_htlc_schemas: [schema = ''] }: Chain): string {
  return schema.split(':')[0] ?? ''
}

/** Where the HTLC is an address, every order is paid at one. */
export function isPaidAtHtlc(chain: Chain): boolean {
  return familyOf(chain) === 'bitcoin'
}

/** Only the path of an icon is used: images come from this origin. */
export function iconPath(url: string): string {
  return new URL(url, location.href).pathname
}

/** Says what is wrong, with the names of assets and chains. */
export function explainError(error: unknown): Explanation {
  return explain(error, {
    symbol: (id) => findAsset(id)?.symbol ?? '',
    amount(id, units) {
      const asset = findAsset(id)
      return asset === null ? '' : `${formatAmount(units, asset.decimals)} ${asset.symbol}`
    },
    chain: (id) => findChain(id)?.display ?? id,
  })
}

export async function keepCatalog(): Promise<void> {
  for (;;) {
    try {
      chains.value = await openClient().chains()
    } catch {
      // The catalog is requested again below; the page keeps the last one.
    }
    await new Promise((resolve) => setTimeout(resolve, chains.value.length === 0 ? 2_000 : REFRESH_MS))
  }
}

function toAsset(chain: Chain, asset: Chain['assets'][number]): Asset {
  const [name = '', symbol = ''] = asset.name.split(':')
  return {
    id: asset.id,
    symbol,
    name,
    icon: iconPath(asset.icon),
    decimals: asset.decimals,
    min: BigInt(asset.min_amount),
    max: BigInt(asset.max_amount),
    isToken: asset.token.schema !== '',
    isActive: asset.is_active,
    price: asset.fiat_value,
    chain,
  }
}
