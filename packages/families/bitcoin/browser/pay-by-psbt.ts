/** Builds a payment from the coins at a wallet's address as a PSBT (BIP174), and broadcasts what the wallet signed. */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { Transaction } from '@scure/btc-signer'
import { InsufficientFundsError } from '@tandem/chain-kit/browser/refusals.ts'
import { plainFetch } from '@tandem/chain-kit/browser/request.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { networkOf } from '../terms/networks.ts'
import { scriptOfAddress } from '../terms/script/address.ts'
import { estimateVsize, WALLET_WITNESS } from '../terms/script/weight.ts'
import { boundFeeRate, dustLimit, feeOf, NORMAL_TARGET } from '../terms/wallet/fees.ts'
import { composeInputs, largestFirst, REPLACEABLE_SEQUENCE, totalOf } from '../terms/wallet/sign.ts'
import { broadcast, feeRate, type Utxo, utxosOf } from './esplora.ts'

/** The wallet may only add signatures: inputs and outputs are compared before anything is broadcast. */
export async function payByPsbt(wallet: PsbtWallet, { chain, to, amount }: Payment, signal?: AbortSignal): Promise<string> {
  const network = networkOf(chain.reference)
  const node = { url: wallet.esplora, fetch: wallet.fetch ?? plainFetch, ...(signal !== undefined && { signal }) }
  const [own, target] = [scriptOfAddress(wallet.address, network), scriptOfAddress(to, network)]
  const estimate = wallet.feeRate === undefined ? await feeRate(node, NORMAL_TARGET) : BigInt(Math.ceil(wallet.feeRate * 1000))
  const rate = boundFeeRate(estimate ?? network.fallbackFeeRate, network)
  const feeFor = (count: number) => feeOf(estimateVsize(Array<readonly number[]>(count).fill(WALLET_WITNESS), [target, own]), rate)
  const coins = select(chain.nativeAsset, await utxosOf(node, wallet.address), (count) => amount + feeFor(count))
  const change = totalOf(coins) - amount - feeFor(coins.length)
  // A change below the dust limit goes to the miner: no node relays such an output.
  const outputs = [{ amount, script: target }, ...(change >= dustLimit(own, network) ? [{ amount: change, script: own }] : [])]
  const unsigned = composeInputs(
    coins.map((coin) => ({ ...coin, script: own, sequence: REPLACEABLE_SEQUENCE })),
    outputs,
  )
  const signed = Transaction.fromPSBT(hexToBytes(await wallet.signPsbt(bytesToHex(unsigned.toPSBT()))))
  if (signed.id !== unsigned.id) throw new Error('the wallet signed another transaction than it was asked to')
  if (!signed.isFinal) signed.finalize()
  return broadcast(node, bytesToHex(signed.extract()))
}

function select(asset: string, utxos: readonly Utxo[], needed: (count: number) => bigint): readonly Utxo[] {
  const sorted = utxos.toSorted(largestFirst)
  let total = 0n
  for (const [index, { amount }] of sorted.entries()) {
    total += amount
    if (total >= needed(index + 1)) return sorted.slice(0, index + 1)
  }
  throw new InsufficientFundsError(asset, total, needed(Math.max(sorted.length, 1)))
}

export type Payment = { readonly chain: Chain; readonly to: string; readonly amount: bigint }

export type PsbtWallet = {
  /** The address is a segwit address. */
  readonly address: string
  readonly esplora: string
  /** The texts are hex. The answer may be final already. */
  signPsbt(psbt: string): Promise<string>
  /** The unit is satoshis per virtual byte. The default is Esplora's estimate for three blocks. */
  readonly feeRate?: number
  readonly fetch?: typeof fetch
}
