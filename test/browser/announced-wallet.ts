/** Imitates a wallet extension (EIP-1193, EIP-6963) with the key of the user of a story. Its keys and its node are outside of the page. */
import type { BrowserContext } from 'playwright-core'
import { createWalletClient, http, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Story } from '../swaps/story.ts'

const CHAIN = 'ethereum_localnet'

type Call = { readonly method: string; readonly params?: readonly unknown[] }

/** Adds the wallet to all pages that this context opens later. */
export async function announceWallet(context: BrowserContext, { info }: Story): Promise<void> {
  const key = info.wallets.find(({ chains }) => chains.includes(CHAIN))?.private_key as `0x${string}`
  const account = privateKeyToAccount(key)
  const client = createWalletClient({ account, transport: http(String(info.chains[CHAIN]?.rpc_url)) })

  async function answer({ method, params = [] }: Call): Promise<unknown> {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address]
    if (method === 'eth_chainId') return numberToHex(await client.getChainId())
    if (method === 'eth_sendTransaction') {
      const [{ to, data, value }] = params as [{ to: `0x${string}`; data: `0x${string}`; value: string }]
      return client.sendTransaction({ chain: null, to, data, value: BigInt(value) })
    }
    return client.request({ method, params } as never)
  }

  await context.exposeBinding('askTestWallet', (_page, call: Call) => answer(call))
  await context.addInitScript(() => {
    const page = globalThis as unknown as EventTarget & { askTestWallet(call: unknown): Promise<unknown> }
    const info = { uuid: 'c7a1f2d0-0000-4000-8000-000000000001', name: 'Test Wallet', icon: '', rdns: 'example.test-wallet' }
    const detail = Object.freeze({ info, provider: { request: (call: unknown) => page.askTestWallet(call) } })
    const announce = () => page.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    page.addEventListener('eip6963:requestProvider', announce)
    announce()
  })
}
