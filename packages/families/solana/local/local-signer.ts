// Signs transactions with keys of this process. It is synchronous, so that a request can be answered at once.
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getAddressDecoder,
  getTransactionEncoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { ed25519Key } from '@tandem/chain-kit/local/ed25519.ts'
import { readTransaction, type WireTransaction } from './wire-transaction.ts'

export interface LocalSigner {
  readonly address: Address
  sign(message: Uint8Array): Uint8Array
}

/** `seed` is the 32 bytes of an Ed25519 private key. */
export function createLocalSigner(seed: Uint8Array): LocalSigner {
  const { publicKey, sign } = ed25519Key(seed)
  return { address: getAddressDecoder().decode(publicKey), sign }
}

/** The first signer pays the fee. */
export function signTransaction(
  instructions: readonly Instruction[],
  signers: readonly [LocalSigner, ...LocalSigner[]],
  lifetime: { readonly blockhash: string; readonly lastValidBlockHeight: number },
): WireTransaction {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(signers[0].address, empty),
    (unlimited) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: lifetime.blockhash as Blockhash, lastValidBlockHeight: BigInt(lifetime.lastValidBlockHeight) },
        unlimited,
      ),
    (bare) => appendTransactionMessageInstructions(instructions, bare),
  )
  const transaction = compileTransaction(message)
  const bytes = Uint8Array.from(transaction.messageBytes)
  const signed = signers.map((signer) => [signer.address, signer.sign(bytes) as SignatureBytes] as const)
  return readTransaction(
    Uint8Array.from(
      getTransactionEncoder().encode({ ...transaction, signatures: { ...transaction.signatures, ...Object.fromEntries(signed) } }),
    ),
  )
}
