/** The keys of a local stack are generated at every start and thrown away with it. */
import { randomBytes } from 'node:crypto'
import type { Curve } from '@tandem/keys/key.ts'
import { curves, randomPrivateKey } from '@tandem/keys/keyring.ts'

export type PrivateKeys = Readonly<Record<Curve, `0x${string}`>>

export type LocalKeys = {
  readonly faucet: PrivateKeys
  readonly solvers: readonly SolverKeys[]
  readonly relay: PrivateKeys
  /** The service signs what affiliates may claim with it. */
  readonly claims: PrivateKeys
  readonly vault: string
  /** The service signs its messages to solvers with it. */
  readonly serviceSigning: string
  readonly users: readonly PrivateKeys[]
}

export type SolverKeys = {
  readonly inventory: PrivateKeys
  /** The solver signs its answers with it. */
  readonly signing: string
  /** Its signer, if it has one, signs its answers with it. */
  readonly signerSigning: string
}

export function createLocalKeys(solvers = 1): LocalKeys {
  return {
    faucet: createPrivateKeys(),
    solvers: Array.from({ length: solvers }, () => ({
      inventory: createPrivateKeys(),
      signing: randomBytes(32).toString('hex'),
      signerSigning: randomBytes(32).toString('hex'),
    })),
    relay: createPrivateKeys(),
    claims: createPrivateKeys(),
    vault: randomBytes(32).toString('hex'),
    serviceSigning: randomBytes(32).toString('hex'),
    users: [createPrivateKeys(), createPrivateKeys(), createPrivateKeys()],
  }
}

function createPrivateKeys(): PrivateKeys {
  return Object.fromEntries(curves.map((curve) => [curve, `0x${randomPrivateKey(curve)}`])) as PrivateKeys
}
