/**
 * A key signs only what an operation makes. Each family lists its operations: each takes plain data that says what is to be signed, makes the bytes itself,
 * and returns plain data. So an operation can run in another process, which knows what it signs.
 */
import { holderOf } from './asked-keys.ts'
import { heldKeyOf } from './held-keys.ts'
import { type Curve, onCurve, type Signer } from './key.ts'
import type { RawSigners } from './raw-signer.ts'
import { listSigning, type SigningFamily } from './signing-families.ts'

type Operations<S> = Readonly<Record<string, (signer: S, ...args: never[]) => unknown>>

type ArgsOf<F> = F extends (signer: never, ...args: infer Args) => unknown ? Readonly<Args> : never
type ResultOf<F> = F extends (signer: never, ...args: never[]) => infer Result ? Awaited<Result> : never

export interface Signing<O extends Operations<never>> {
  sign<K extends keyof O & string>(name: K, signer: Signer, ...args: ArgsOf<O[K]>): Promise<ResultOf<O[K]>>
}

/**
 * Every operation runs on this thread, with a key of this curve; or where another process holds the key. A process can be asked only for operations with the
 * name of their family.
 */
export function signingOf<C extends Curve, O extends Operations<RawSigners[C]>>(
  curve: C,
  operations: O,
  family?: SigningFamily,
): Signing<O> {
  const signing: Signing<O> = {
    async sign(name, signer, ...args) {
      const operation = operations[name] as (signer: RawSigners[C], ...args: readonly unknown[]) => ResultOf<O[typeof name]>
      const { handle, purpose, publicKey } = onCurve(curve, signer)
      signer.assertMaySign?.()
      signer.permit?.(name, args)
      const holder = holderOf([signer])
      const result =
        holder === null
          ? await operation(heldKeyOf(handle).rawSignerFor(purpose) as RawSigners[C], ...args)
          : await holder.sign({ way: 'operation', name, signers: [{ curve, publicKey, purpose }], args })
      signer.assertMaySign?.()
      return result as ResultOf<O[typeof name]>
    },
  }
  if (family !== undefined) listSigning('operation', family, named(signing, Object.keys(operations)))
  return signing
}

function named<O extends Operations<never>>({ sign }: Signing<O>, names: readonly string[]) {
  const asked = (name: string) => ({
    async sign([signer, ...others]: readonly Signer[], args: readonly unknown[]) {
      if (signer === undefined || others.length > 0) throw new Error('an operation takes one signer')
      return sign(name, signer, ...(args as ArgsOf<O[typeof name]>))
    },
  })
  return Object.fromEntries(names.map((name) => [name, asked(name)]))
}
