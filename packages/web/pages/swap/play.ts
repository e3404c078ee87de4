/** The play wallet of the local network: a throw-away key of this browser, a faucet, a switch for the solvers, and time that passes. */
import { signal } from '@preact/signals'
import { type KeyWallet, keyWallet } from '@tandem/sdk'
import { type Asset, familyOf } from './catalog.ts'
import { pinnedRegistry, settings } from './settings.ts'

const KEY = 'tandem:web:play-key'
/** Pays for the transactions of a token: a tenth of a coin of 18 decimals. */
const FEE_COINS = 10n ** 17n
const PLAY_FAMILIES: ReadonlySet<string> = new Set(['evm', 'bitcoin'])

/** The solvers stop right after the next order is made: the swap then ends in a refund. */
export const solversFailNext = signal(false)
export const solversRun = signal(true)
/** Balances by asset. */
export const balances = signal<ReadonlyMap<string, bigint>>(new Map())

const opened = new Map<string, Promise<KeyWallet>>()

function privateKey(): string {
  const known = localStorage.getItem(KEY)
  if (known !== null) return known
  const key = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  localStorage.setItem(KEY, key)
  return key
}

/** False outside of a local network, and on chains on which the play wallet cannot pay. */
export function hasPlayWallet({ chain }: Asset): boolean {
  const { value } = settings
  return value?.play != null && value.nodes[chain.chain] !== undefined && PLAY_FAMILIES.has(familyOf(chain))
}

/** The result is null on chains on which it cannot pay. Makes its key if this browser has none yet. */
export function playWallet(asset: Asset): Promise<KeyWallet> | null {
  const { value } = settings
  const node = value?.nodes[asset.chain.chain]
  if (value === null || node === undefined || !hasPlayWallet(asset)) return null
  const token = value.deployments[asset.id]?.token ?? null
  const known = opened.get(asset.id) ?? keyWallet({ asset: asset.id, token, privateKey: privateKey(), node }, pinnedRegistry())
  opened.set(asset.id, known)
  return known
}

/** The address that is paid: the play wallet's own, or one of a funded user of the local network. */
export async function playAddress(asset: Asset): Promise<string> {
  return (await playWallet(asset))?.address ?? settings.value?.play?.addresses[asset.chain.chain] ?? ''
}

export async function readBalance(asset: Asset): Promise<void> {
  const wallet = await playWallet(asset)
  if (wallet === null) return
  const balance = await wallet.balance()
  if (balances.value.get(asset.id) !== balance) balances.value = new Map(balances.value).set(asset.id, balance)
}

/** A wallet that got a token by a swap has no coins yet for the approval that its first payment needs. */
export async function getFeeCoins(asset: Asset, address: string): Promise<void> {
  await control('faucet_url', { asset: asset.chain.native_asset_id, address, amount: FEE_COINS.toString() })
}

/** A tenth of the largest swap. */
export async function getCoins(asset: Asset): Promise<void> {
  const wallet = await playWallet(asset)
  if (wallet === null) return
  const { address } = wallet
  await control('faucet_url', { asset: asset.id, address, amount: (asset.max / 10n).toString() })
  await readBalance(asset)
}

export async function setSolversRun(running: boolean): Promise<void> {
  await control('solver_switch_url', { running })
  solversRun.value = running
}

export async function passTime(chain: string, units: number): Promise<void> {
  await control('time_url', { chain, units })
}

async function control(name: 'faucet_url' | 'solver_switch_url' | 'time_url', body: object): Promise<void> {
  const url = settings.value?.play?.[name]
  if (url === undefined) throw new Error('this is not a local network')
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const { error } = (await response.json()) as { readonly error: string | null }
  if (error !== null) throw new Error(error)
}
