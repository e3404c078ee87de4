// Shows transactions as Bitcoin Core's verbose answers do.
import { encodeAddress } from '../address.ts'
import type { Coin } from '../chain/coins.ts'
import { btc, type JsonValue } from '../http/json.ts'
import type { BitcoinNetwork } from '../network.ts'
import { classifyScript } from '../script/standard-scripts.ts'
import { isCoinbase, type Transaction, type TransactionInput } from '../transaction/transaction.ts'
import { toHex } from '../wire/bytes.ts'
import { describeScript } from './descriptor.ts'
import { scriptAssembly } from './script-assembly.ts'

export type JsonObject = { readonly [key: string]: JsonValue | undefined }

export function scriptView(script: Uint8Array, network: BitcoinNetwork): JsonObject {
  const type = classifyScript(script)
  return {
    asm: scriptAssembly(script),
    desc: describeScript(script, network),
    hex: toHex(script),
    address: type === 'pubkey' ? undefined : (encodeAddress(script, network) ?? undefined),
    type,
  }
}

function inputView(input: TransactionInput, coinbase: boolean, coin: Coin | undefined, network: BitcoinNetwork): JsonObject {
  const txinwitness = input.witness.length > 0 ? input.witness.map(toHex) : undefined
  if (coinbase) return { coinbase: toHex(input.scriptSig), txinwitness, sequence: input.sequence }
  return {
    txid: input.txid,
    vout: input.index,
    scriptSig: { asm: scriptAssembly(input.scriptSig, true), hex: toHex(input.scriptSig) },
    txinwitness,
    prevout: coin && {
      generated: coin.coinbase,
      height: coin.height,
      value: btc(coin.amount),
      scriptPubKey: scriptView(coin.script, network),
    },
    sequence: input.sequence,
  }
}

export type TransactionViewOptions = {
  readonly network: BitcoinNetwork
  readonly spent?: readonly Coin[] | undefined
  readonly showPrevouts?: boolean
}

export function transactionView(transaction: Transaction, { network, spent, showPrevouts = false }: TransactionViewOptions): JsonObject {
  const coinbase = isCoinbase(transaction)
  const outputSats = transaction.outputs.reduce((sum, { amount }) => sum + amount, 0n)
  const inputSats = spent?.reduce((sum, { amount }) => sum + amount, 0n)
  return {
    txid: transaction.txid,
    hash: transaction.wtxid,
    version: transaction.version,
    size: transaction.raw.length,
    vsize: transaction.vsize,
    weight: transaction.weight,
    locktime: transaction.lockTime,
    vin: transaction.inputs.map((input, i) => inputView(input, coinbase, showPrevouts ? spent?.[i] : undefined, network)),
    vout: transaction.outputs.map(({ amount, script }, n) => ({ value: btc(amount), n, scriptPubKey: scriptView(script, network) })),
    fee: coinbase || inputSats === undefined ? undefined : btc(inputSats - outputSats),
  }
}
