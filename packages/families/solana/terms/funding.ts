/** Builds the transactions that fund a swap, ready to be signed. */
import type { Address, Blockhash } from '@solana/kit'
import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import type { SolanaNode } from '../server/nodes/node.ts'
import { parseAddress } from './address.ts'
import { fixedUnits, relayPrice, unitPrice } from './fees/fees.ts'
import type { HtlcContract } from './htlc.ts'
import { initiateInstruction } from './instructions.ts'
import { relayedTransaction } from './relayed-transaction.ts'
import { buildTransaction, wireOf } from './send/transaction.ts'

export async function fundingOf(
  node: Pick<SolanaNode, 'latestBlockhash' | 'priorityFee'>,
  contract: HtlcContract,
  relay: Address | null,
  { terms, deadline, payer: named }: FundingRequest,
): Promise<Funding<'versionedTransaction'>> {
  const { blockhash } = await node.latestBlockhash()
  const payer = parseAddress(named ?? terms.initiator)
  const instruction = initiateInstruction(contract, terms, { funder: payer, rentPayer: payer, initiateBefore: deadline })
  const unitLimit = fixedUnits('initiate')
  const price = await unitPrice(node, 'initiate', [instruction], unitLimit)
  const transaction = buildTransaction([instruction], { feePayer: payer, blockhash, unitLimit, unitPrice: price })
  const gasless = relay === null || contract.mint === null ? null : await gaslessOf(relay, blockhash)
  return { kind: 'versionedTransaction', transaction: wireOf(transaction), gasless }

  async function gaslessOf(feePayer: Address, newest: Blockhash): Promise<string> {
    const relayed = relayedTransaction(contract, { terms, deadline }, feePayer, {
      blockhash: newest,
      unitPrice: await relayPrice(node, [instruction]),
    })
    return wireOf(relayed.transaction)
  }
}
