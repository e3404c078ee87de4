/** The chains and assets that can be swapped here. */
import { computed, signal } from '@preact/signals'
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

export function findChain(id: string): Chain | null {
  return chains.value.find(({ chain }) => chain === id) ?? null
}

/** The family of a chain, as wallets name it: the first part of the names of its contracts. */
export function familyOf({ supported_htlc_schemas: [schema = ''] }: Chain): string {
  return schema.split(':')[0] ?? ''
}

/** Only the path of an icon is used: images come from this origin. */
export function iconPath(url: string): string {
  return new URL(url, location.href).pathname
}

export async function keepCatalog(): Promise<void> {
  for (;;) {
    try {
      chains.value = await openClient().chains()
    } catch {
      // Asked again below: what is on the page stays.
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
