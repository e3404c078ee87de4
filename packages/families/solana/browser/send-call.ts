/** Builds a transaction with the newest blockhash of the user's node; the wallet signs and sends it. */
import { base58, base64 } from '@scure/base'
import type { Address, Instruction } from '@solana/kit'
import type { HeldAsset, Sender } from '@tandem/chain-kit/browser/family.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { parseAddress } from '../terms/address.ts'
import { fixedUnits, type SentVerb, unitPrice } from '../terms/fees/fees.ts'
import { buildTransaction, wireOf } from '../terms/send/transaction.ts'
import { latestBlockhash, priorityFee } from './node.ts'
import type { SolanaWallet } from './wallet.ts'

const PUBLIC_CLUSTERS: readonly string[] = ['solana:mainnet', 'solana:testnet', 'solana:devnet']

export function clusterOf({ reference }: Chain): string {
  return PUBLIC_CLUSTERS.includes(reference) ? reference : 'solana:localnet'
}

/** `instructionsFor` gets the payer, who also pays for the payee's token account if that is missing. Resolves to the signature. */
export async function sendCall(
  { chain, deployment }: Pick<HeldAsset, 'chain' | 'deployment'>,
  verb: Exclude<SentVerb, 'close' | 'transfer'>,
  { wallet, node }: Sender<SolanaWallet>,
  instructionsFor: (payer: Address) => readonly Instruction[] | Promise<readonly Instruction[]>,
): Promise<string> {
  if (node === null) throw new Error(`name a node of ${chain.id} in the option nodes: the newest blockhash is read from it`)
  const payer = parseAddress(await wallet.address(chain))
  const instructions = await instructionsFor(payer)
  const unitLimit = fixedUnits(verb, verb === 'reclaim' || (verb !== 'initiate' && deployment.token !== null))
  const price = await unitPrice({ priorityFee: (writable, share) => priorityFee(node, writable, share) }, verb, instructions, unitLimit)
  const frame = { feePayer: payer, blockhash: await latestBlockhash(node), unitLimit, unitPrice: price }
  return base58.encode(await wallet.signAndSend(clusterOf(chain), payer, base64.decode(wireOf(buildTransaction(instructions, frame)))))
}
