/** `local.json` describes this user of the local stack: the public API, and the first wallet on each chain. */

import type { LocalFamily, LocalWallet } from '@tandem/chain-kit/local/local-chain.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import type { LocalJson } from '@tandem/local/local-json.ts'
import type { FamilyName } from '@tandem/protocol/chain.ts'
import { type ApiClient, createApiClient } from './api-client.ts'

export interface LocalClient {
  readonly info: LocalJson
  readonly api: ApiClient
  walletFor(asset: string): Promise<LocalWallet>
  /** The wallet has all that wallets of the family can do. */
  wallet<Wallet extends LocalWallet>(chain: string, family: LocalFamily<unknown, Wallet>): Wallet
  balance(asset: string): Promise<bigint>
  ownerOf(asset: string): string
  contractsOf(asset: string): { readonly token: string; readonly htlc: string }
  setSolverRunning(running: boolean): Promise<void>
}

export function createLocalClient(info: LocalJson): LocalClient {
  const chainNamed = (id: string) => {
    const chain = info.chains[id]
    if (chain === undefined) throw new Error(`local.json names no chain ${id}`)
    return chain
  }
  const keyOn = (id: string) => {
    const wallet = info.wallets.find(({ chains }) => chains.includes(id))
    if (wallet === undefined) throw new Error(`local.json names no wallet on ${id}`)
    return wallet
  }
  const wallet = <Wallet extends LocalWallet>(id: string, family: LocalFamily<unknown, Wallet>) =>
    family.openWallet(chainNamed(id), keyOn(id).private_key)
  const walletFor = async (asset: string) => {
    const id = chainOf(asset)
    return wallet(id, await loadLocalFamily(chainNamed(id).family as FamilyName))
  }

  return {
    info,
    api: createApiClient({ baseUrl: info.base_url, appId: info.app_id, retries: 10 }),
    walletFor,
    wallet,
    balance: async (asset) => (await walletFor(asset)).balance(asset),
    ownerOf: (asset) => keyOn(chainOf(asset)).address,
    contractsOf(asset) {
      const { token, htlc } = chainNamed(chainOf(asset)).assets[asset] ?? {}
      if (token === undefined || htlc === undefined) throw new Error(`${asset} is not a token`)
      return { token, htlc }
    },
    async setSolverRunning(running) {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ running }) }
      const answer = await fetch(info.solver_switch_url, request)
      if (!answer.ok) throw new Error(`the solver's switch answered ${answer.status}: ${await answer.text()}`)
    },
  }
}

export function chainOf(asset: string): string {
  return asset.split(':')[0] ?? ''
}
