/** Finds the wallets that browser extensions announce by EIP-6963. */
import type { Eip1193Provider } from './wallet.ts'

export type AnnouncedWallet = {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string; readonly rdns: string }
  readonly provider: Eip1193Provider
}

/** Calls `found` once for each wallet, now and later. Returns a function that ends this. Tests replace the window by `page`. */
export function discoverWallets(
  found: (wallet: AnnouncedWallet) => void,
  page: EventTarget = globalThis as unknown as EventTarget,
): () => void {
  const known = new Set<string>()
  const announced = (event: Event) => {
    const { detail } = event as Event & { readonly detail: AnnouncedWallet }
    if (known.has(detail.info.uuid)) return
    known.add(detail.info.uuid)
    found(detail)
  }
  page.addEventListener('eip6963:announceProvider', announced)
  page.dispatchEvent(new Event('eip6963:requestProvider'))
  return () => page.removeEventListener('eip6963:announceProvider', announced)
}
