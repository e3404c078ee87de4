/** What a wallet of the Bitcoin family is asked to pay, and what the SDK asks of a wallet that signs PSBTs. */
import type { Chain } from '@tandem/protocol/chain.ts'

export type Payment = { readonly chain: Chain; readonly to: string; readonly amount: bigint }

export type PsbtWallet = {
  /** A segwit address of the wallet, with coins. */
  readonly address: string
  /** The Esplora of the chain, to find coins and to broadcast. */
  readonly esplora: string
  /** Signs all inputs. Takes and resolves to hex; the answer may be final already. */
  signPsbt(psbt: string): Promise<string>
  /** Satoshis per virtual byte. Default: what Esplora estimates for three blocks. */
  readonly feeRate?: number
  readonly fetch?: typeof fetch
}
