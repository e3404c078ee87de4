/**
 * Signing jobs run in worker threads with signers, never with keys. A signing in two calls keeps its secret nonces in this process, in one
 * place at a time: they are moved, not copied, so a second use fails.
 */
import { jobsOf } from '@tandem/runtime/workers/jobs.ts'
import type { Priority } from '@tandem/runtime/workers/pool.ts'
import { holderOf, type Question } from './asked-keys.ts'
import { heldKeyOf } from './held-keys.ts'
import { onCurve, type Signer } from './key.ts'
import { type jobs, type Lent, lentSignersModule, type SigningJobs } from './lent-signers.ts'
import { type BegunSigning, listSigning, type SigningFamily } from './signing-families.ts'

type ArgsOf<F> = F extends (signers: never, ...args: infer Args) => unknown ? Readonly<Args> : never

export interface SigningRunner<J extends SigningJobs> {
  /** Nonces live and die in the worker. */
  sign<K extends keyof J & string>(name: K, signers: readonly Signer[], args: ArgsOf<J[K]>): Promise<ReturnType<J[K]>>
  begin<K extends keyof J & string>(
    name: K,
    signers: readonly Signer[],
    args: ArgsOf<J[K]>,
  ): Promise<{ readonly value: ReturnType<J[K]>; readonly signing: OpenSigning<J> }>
}

/** The secret nonces of the first call are held until the second takes them up. */
export interface OpenSigning<J extends SigningJobs> {
  /** The raw signers' `startMusig` gives the nonces of the first call again, in the same order. A second call throws. */
  finish<K extends keyof J & string>(name: K, args: ArgsOf<J[K]>): Promise<ReturnType<J[K]>>
}

/** What a process that holds keys for others can be asked for: its jobs, and the family that they belong to. */
type Listed = { readonly family: SigningFamily; readonly names: readonly string[] }

/** `module` is the URL of the module that exports these jobs as `jobs`. */
export function signingJobsOf<J extends SigningJobs>(module: string, priority: Priority = 'normal', listed?: Listed): SigningRunner<J> {
  const run = jobsOf<typeof jobs>(lentSignersModule, priority)

  async function signHere(name: string, signers: readonly Signer[], args: readonly unknown[], nonces: readonly Uint8Array[] | null) {
    const lent = signers.map((signer, index) => copyFor(signer, name, args, nonces?.[index] ?? null))
    const value = await run('sign', [{ module, name, args }, lent], buffersOf(lent))
    for (const signer of signers) signer.assertMaySign?.()
    return value
  }

  async function sign(name: string, signers: readonly Signer[], args: readonly unknown[]): Promise<unknown> {
    const holder = holderOf(signers)
    return holder === null
      ? signHere(name, signers, args, null)
      : guarded(signers, name, args, () => holder.sign(questionOf(name, signers, args)))
  }

  async function begin(name: string, signers: readonly Signer[], args: readonly unknown[]): Promise<BegunSigning> {
    const holder = holderOf(signers)
    if (holder === null) {
      const lent = signers.map((signer) => copyFor(signer, name, args, null))
      const { value, nonces } = await run('begin', [{ module, name, args }, lent], buffersOf(lent))
      return { value, finish: (next, nextArgs) => signHere(next, signers, nextArgs, nonces) }
    }
    const { value, session } = await guarded(signers, name, args, () => holder.begin(questionOf(name, signers, args)))
    return { value, finish: (next, nextArgs) => guarded(signers, next, nextArgs, () => holder.finish(session, next, nextArgs)) }
  }

  async function beginOnce(name: string, signers: readonly Signer[], args: readonly unknown[]): Promise<BegunSigning> {
    const { value, finish } = await begin(name, signers, args)
    let isFinished = false
    return {
      value,
      async finish(next, nextArgs) {
        if (isFinished) throw new Error('this signing session is finished: a new one needs new nonces')
        isFinished = true
        return finish(next, nextArgs)
      },
    }
  }

  if (listed !== undefined) {
    const asked = (name: string) => ({
      sign: (signers: readonly Signer[], args: readonly unknown[]) => sign(name, signers, args),
      begin: (signers: readonly Signer[], args: readonly unknown[]) => beginOnce(name, signers, args),
    })
    listSigning('job', listed.family, Object.fromEntries(listed.names.map((name) => [name, asked(name)])))
  }

  return {
    sign: async (name, signers, args) => (await sign(name, signers, args)) as ReturnType<J[typeof name]>,
    async begin(name, signers, args) {
      const { value, finish } = await beginOnce(name, signers, args)
      return {
        value: value as ReturnType<J[typeof name]>,
        signing: { finish: async (next, nextArgs) => (await finish(next, nextArgs)) as ReturnType<J[typeof next]> },
      }
    },
  }
}

function questionOf(name: string, signers: readonly Signer[], args: readonly unknown[]): Question {
  const asked = signers.map(({ curve, publicKey, purpose }) => ({ curve, publicKey, purpose }))
  return { way: 'job', name, signers: asked, args }
}

async function guarded<T>(signers: readonly Signer[], name: string, args: readonly unknown[], ask: () => Promise<T>): Promise<T> {
  for (const signer of signers) {
    signer.assertMaySign?.()
    signer.permit?.(name, args)
  }
  const answer = await ask()
  for (const signer of signers) signer.assertMaySign?.()
  return answer
}

function copyFor(signer: Signer, name: string, args: readonly unknown[], nonces: Uint8Array | null): Lent {
  const { handle, purpose } = onCurve('secp256k1', signer)
  signer.assertMaySign?.()
  signer.permit?.(name, args)
  const { secret, publicKey } = heldKeyOf(handle)
  if (secret === undefined) throw new Error('this key cannot be lent to a worker thread')
  return { key: Uint8Array.from(secret), publicKey, purpose, nonces }
}

/** Keys and nonces are moved; public keys are copied. */
function buffersOf(lent: readonly Lent[]): readonly ArrayBuffer[] {
  return lent.flatMap(({ key, nonces }) => [key, ...(nonces === null ? [] : [nonces])].map(({ buffer }) => buffer as ArrayBuffer))
}
