/** What a wallet does in a gasless initiation on Tron, with TronWeb, exactly as the interface specification says. */
import type { TronWeb } from 'tronweb'

type TypedData = {
  readonly domain: Record<string, unknown>
  readonly types: Record<string, { name: string; type: string }[]>
  readonly message: Record<string, unknown>
}

/** `typedData`: as POST /orders answered. Removes the fields that wallets do not sign. */
export function signInitiation(wallet: TronWeb, key: string, typedData: unknown): string {
  // What a wallet gets has been through JSON.
  const { domain, types, message }: TypedData = JSON.parse(JSON.stringify(typedData))
  delete types.EIP712Domain
  types.Initiate = (types.Initiate ?? []).filter(({ name }) => name !== 'destinationData')
  delete message.destinationData
  return wallet.trx.signTypedData(domain, types, message, key.replace(/^0x/, ''))
}
