/** Keys of one local stack: generated at every start and thrown away with it. */
import { randomBytes } from 'node:crypto'

type Hex = `0x${string}`

export type LocalKeys = {
  readonly faucet: Hex
  readonly solver: Hex
  readonly relay: Hex
  readonly vault: string
  readonly solverToken: string
  readonly users: readonly Hex[]
}

export function createLocalKeys(): LocalKeys {
  const key = (): Hex => `0x${randomBytes(32).toString('hex')}`
  return {
    faucet: key(),
    solver: key(),
    relay: key(),
    vault: randomBytes(32).toString('hex'),
    solverToken: randomBytes(32).toString('hex'),
    users: [key(), key(), key()],
  }
}
