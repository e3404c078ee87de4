/** Serializes transactions as they are signed, recorded and read back from the record. */

import { memoize } from '@tandem/chain-kit/contract/memoize.ts'
import type { Attempt } from '@tandem/chain-kit/port/outbox.ts'
import type { Signer } from '@tandem/keys/key.ts'
import {
  type Address,
  bytesToHex,
  type Hex,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
  type TransactionSerialized,
} from 'viem'
import { accountOf } from '../../terms/address.ts'
import type { FeeModel } from '../../terms/chain-data.ts'
import { type Fees, sameFees } from '../fees/fees.ts'
import { evmSigning } from '../signing.ts'

export type TransactionCall = { readonly to: Address; readonly data: Hex; readonly value: bigint }

type Transaction = { readonly call: TransactionCall; readonly nonce: bigint; readonly gas: bigint; readonly fees: Fees }

export type Signed = Transaction & { readonly tx: string; readonly raw: Hex; readonly at: bigint }

export async function signTransaction(
  { chainId, gasPrice }: { readonly chainId: number; readonly gasPrice: FeeModel['gasPrice'] },
  signer: Signer,
  { call, nonce, gas, fees }: Transaction,
): Promise<Omit<Attempt, 'at'>> {
  const rest = { chainId, nonce: Number(nonce), gas, ...call }
  const unsigned: TransactionSerializable =
    gasPrice === 'legacy' ? { type: 'legacy', ...rest, gasPrice: fees.maxFeePerGas } : { type: 'eip1559', ...rest, ...fees }
  const signature = await evmSigning.sign('transaction', signer, unsigned)
  const yParity = signature[64] ?? 0
  const raw = serializeTransaction(unsigned, {
    r: bytesToHex(signature.subarray(0, 32)),
    s: bytesToHex(signature.subarray(32, 64)),
    // viem derives the v of EIP-155 from the v before it.
    ...(gasPrice === 'legacy' ? { v: 27n + BigInt(yParity) } : { yParity }),
  })
  return { tx: keccak256(raw), raw, slots: [`${accountOf(signer)}:${nonce}`], nonce, feeRate: fees.maxFeePerGas }
}

export function readAttempt({ tx, raw, at }: Attempt): Signed {
  const parsed = parseRaw(raw)
  if (parsed === 'no recipient') throw new Error(`recorded transaction ${tx} has no recipient`)
  return { tx, at, ...parsed }
}

export async function isSignedBy({ tx, raw }: Signed, account: Address, chainId: number): Promise<boolean> {
  if (keccak256(raw) !== tx || parseTransaction(raw).chainId !== chainId) return false
  try {
    return (await recoverTransactionAddress({ serializedTransaction: raw as TransactionSerialized })).toLowerCase() === account
  } catch {
    return false
  }
}

/** Every action reads all unmined transactions of its signer, several times. */
const parseRaw = memoize(500, (raw): Omit<Signed, 'tx' | 'at'> | 'no recipient' => {
  const { to, data, value, nonce, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(raw as Hex)
  if (!to) return 'no recipient'
  return {
    raw: bytesToHex(hexToBytes(raw as Hex)),
    call: { to: to.toLowerCase() as Address, data: data ?? '0x', value: value ?? 0n },
    nonce: BigInt(nonce ?? 0),
    gas: gas ?? 0n,
    fees:
      gasPrice === undefined ? { maxFeePerGas: maxFeePerGas ?? 0n, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n } : sameFees(gasPrice),
  }
})
