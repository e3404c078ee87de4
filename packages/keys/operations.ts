/**
 * A key signs only what an operation makes. Each family lists its operations: each takes plain data that says what is to be signed, makes the bytes itself,
 * and returns plain data. So an operation can run in another process, which knows what it signs.
 */
import { heldKeyOf } from './held-keys.ts'
import { type Curve, onCurve, type Signer } from './key.ts'
import type { RawSigners } from './raw-signer.ts'

type Operations<S> = Readonly<Record<string, (signer: S, ...args: never[]) => unknown>>

type ArgsOf<F> = F extends (signer: never, ...args: infer Args) => unknown ? Readonly<Args> : never
type ResultOf<F> = F extends (signer: never, ...args: never[]) => infer Result ? Awaited<Result> : never

export interface Signing<O extends Operations<never>> {
  sign<K extends keyof O & string>(name: K, signer: Signer, ...args: ArgsOf<O[K]>): Promise<ResultOf<O[K]>>
}

/** Every operation runs on this thread, with a key of this curve. */
export function signingOf<C extends Curve, O extends Operations<RawSigners[C]>>(curve: C, operations: O): Signing<O> {
  return {
    async sign(name, signer, ...args) {
      const operation = operations[name] as (signer: RawSigners[C], ...args: readonly unknown[]) => ResultOf<O[typeof name]>
      const { handle, purpose } = onCurve(curve, signer)
      signer.assertMaySign?.()
      signer.permit?.(name, args)
      const result = await operation(heldKeyOf(handle).rawSignerFor(purpose) as RawSigners[C], ...args)
      signer.assertMaySign?.()
      return result
    },
  }
}
