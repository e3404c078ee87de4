/** Signs a gasless initiation with TronWeb, as docs/tron.md tells wallets to. */
import type { TronWeb } from 'tronweb'

type TypedData = {
  readonly domain: Record<string, unknown>
  readonly types: Record<string, { name: string; type: string }[]>
  readonly message: Record<string, unknown>
}

/** `typedData`: as POST /orders answered. Removes the fields that wallets do not sign. */
export function signInitiation(wallet: TronWeb, key: string, typedData: unknown): string {
  // A wallet gets the typed data as JSON.
  const { domain, types, message }: TypedData = JSON.parse(JSON.stringify(typedData))
  delete types.EIP712Domain
  types.Initiate = (types.Initiate ?? []).filter(({ name }) => name !== 'destinationData')
  delete message.destinationData
  return wallet.trx.signTypedData(domain, types, message, key.replace(/^0x/, ''))
}
