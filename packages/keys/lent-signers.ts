/** A job runs in a worker thread with signers whose keys were lent to it. Keys and nonces are wiped when the job ends. */
import { concatBytes } from '@noble/hashes/utils.js'
import { Moving } from '@tandem/runtime/workers/moving.ts'
import { type Nonce, nonceFor, startMusig } from './musig2.ts'
import type { Purpose } from './purpose.ts'
import type { Secp256k1RawSigner } from './raw-signer.ts'
import { createSecp256k1Signer } from './secp256k1-signer.ts'

export const lentSignersModule = import.meta.url

/** All buffers were moved here, so no other thread has them. */
export type Lent = {
  readonly key: Uint8Array
  readonly publicKey: Uint8Array
  readonly purpose: Purpose
  /** These are the nonces of an earlier job of the same signing, in the order in which it made them. Null means that new ones are made. */
  readonly nonces: Uint8Array | null
}

export type SigningJobs = Readonly<Record<string, (signers: readonly Secp256k1RawSigner[], ...args: never[]) => unknown>>

type Job = { readonly module: string; readonly name: string; readonly args: readonly unknown[] }

const SECRET_BYTES = 64
const PUBLIC_BYTES = 66

export function onlySigner([signer, ...more]: readonly Secp256k1RawSigner[]): Secp256k1RawSigner {
  if (signer === undefined || more.length > 0) throw new Error('this job takes one signer')
  return signer
}

export const jobs = {
  /** Nonces that the job makes live and die in this call. */
  async sign(job: Job, lent: readonly Lent[]): Promise<unknown> {
    return withSigners(lent, ({ signers }) => run(job, signers))
  },

  /** This is the first of two calls. It also returns the nonces, for the second call `sign`. */
  async begin(job: Job, lent: readonly Lent[]): Promise<Moving<{ readonly value: unknown; readonly nonces: readonly Uint8Array[] }>> {
    return withSigners(lent, async ({ signers, made }) => {
      const value = await run(job, signers)
      const nonces = made.map((ofSigner) => concatBytes(...ofSigner.map((nonce) => concatBytes(nonce.secret, nonce.public))))
      return new Moving(
        { value, nonces },
        nonces.map(({ buffer }) => buffer as ArrayBuffer),
      )
    })
  },
}

async function run({ module, name, args }: Job, signers: readonly Secp256k1RawSigner[]): Promise<unknown> {
  const { jobs } = (await import(module)) as { readonly jobs: SigningJobs }
  const job = jobs[name]
  if (job === undefined) throw new Error(`${module} has no job "${name}"`)
  return job(signers, ...(args as never[]))
}

type Signers = { readonly signers: readonly Secp256k1RawSigner[]; readonly made: readonly Nonce[][] }

async function withSigners<T>(lent: readonly Lent[], use: (signers: Signers) => Promise<T>): Promise<T> {
  const made = lent.map((): Nonce[] => [])
  const signers = lent.map((one, index) => signerOf(one, made[index] ?? []))
  try {
    return await use({ signers, made })
  } finally {
    for (const nonce of made.flat()) nonce.secret.fill(0)
    for (const { key, nonces } of lent) {
      key.fill(0)
      nonces?.fill(0)
    }
  }
}

function signerOf({ key, publicKey, purpose, nonces }: Lent, made: Nonce[]): Secp256k1RawSigner {
  const kept = nonces === null ? null : readNonces(nonces)
  return createSecp256k1Signer(key, publicKey, purpose, () => {
    const nonce = kept === null ? nonceFor(key, publicKey) : kept.shift()
    if (nonce === undefined) throw new Error('this signing has no nonce left')
    made.push(nonce)
    return startMusig(key, publicKey, nonce)
  })
}

function readNonces(bytes: Uint8Array): Nonce[] {
  const size = SECRET_BYTES + PUBLIC_BYTES
  return Array.from({ length: bytes.length / size }, (_, index) => {
    const nonce = bytes.subarray(index * size, (index + 1) * size)
    return { secret: nonce.subarray(0, SECRET_BYTES), public: nonce.subarray(SECRET_BYTES) }
  })
}
