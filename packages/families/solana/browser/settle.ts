/** Refunds and redeems by a wallet: built here with the blockhash of the node, signed and sent by the wallet. */
import { base58, base64 } from '@scure/base'
import type { Address, Instruction } from '@solana/kit'
import type { Sender, SwapSide } from '@tandem/chain-kit/browser/family.ts'
import { parseAddress } from '../terms/address.ts'
import { fixedUnits, unitPrice } from '../terms/fees/fees.ts'
import { buildTransaction, wireOf } from '../terms/send/transaction.ts'
import { latestBlockhash, priorityFee } from './node.ts'
import type { SolanaWallet } from './wallet.ts'

/** `instructionsFor`: the payer, who also pays for the payee's token account if it is missing. Resolves to the signature. */
export async function settle(
  { chain, deployment }: SwapSide,
  cluster: string,
  verb: 'redeem' | 'refund',
  { wallet, node }: Sender<SolanaWallet>,
  instructionsFor: (payer: Address) => Promise<readonly Instruction[]>,
): Promise<string> {
  if (node === null) throw new Error(`name a node of ${chain.id} in the option nodes: it tells the newest blockhash`)
  const payer = parseAddress(await wallet.address(chain))
  const instructions = await instructionsFor(payer)
  const unitLimit = fixedUnits(verb, deployment.token !== null)
  const price = await unitPrice({ priorityFee: (writable, share) => priorityFee(node, writable, share) }, verb, instructions, unitLimit)
  const frame = { feePayer: payer, blockhash: await latestBlockhash(node), unitLimit, unitPrice: price }
  return base58.encode(await wallet.signAndSend(cluster, payer, base64.decode(wireOf(buildTransaction(instructions, frame)))))
}
