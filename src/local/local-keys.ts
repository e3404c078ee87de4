/** Keys of one local stack: generated at every start and thrown away with it. */
import { randomBytes } from 'node:crypto'
import type { Curve } from '../keys/key.ts'
import { curves, randomPrivateKey } from '../keys/keyring.ts'

/** The private keys of one person, as hex with 0x. */
export type PrivateKeys = Readonly<Record<Curve, `0x${string}`>>

export type LocalKeys = {
  readonly faucet: PrivateKeys
  readonly solver: PrivateKeys
  readonly relay: PrivateKeys
  /** With which the service signs what affiliates may claim. */
  readonly claims: PrivateKeys
  readonly vault: string
  /** With which the parties sign their messages to each other. */
  readonly serviceSigning: string
  readonly solverSigning: string
  readonly users: readonly PrivateKeys[]
}

export function createLocalKeys(): LocalKeys {
  return {
    faucet: createPrivateKeys(),
    solver: createPrivateKeys(),
    relay: createPrivateKeys(),
    claims: createPrivateKeys(),
    vault: randomBytes(32).toString('hex'),
    serviceSigning: randomBytes(32).toString('hex'),
    solverSigning: randomBytes(32).toString('hex'),
    users: [createPrivateKeys(), createPrivateKeys(), createPrivateKeys()],
  }
}

function createPrivateKeys(): PrivateKeys {
  return Object.fromEntries(curves.map((curve) => [curve, `0x${randomPrivateKey(curve)}`])) as PrivateKeys
}
