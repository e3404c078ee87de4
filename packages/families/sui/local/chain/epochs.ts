// Keeps epochs: a day each, with one reference gas price.
import type { Checkpoint } from './checkpoint.ts'

export type Epoch = {
  readonly epoch: bigint
  readonly startMs: number
  readonly firstCheckpoint: number
  readonly gasPrice: bigint
  /** The end is null while the epoch lasts. */
  readonly last: { readonly checkpoint: number; readonly endMs: number } | null
}

export interface Epochs {
  current(): Epoch
  find(epoch: bigint): Epoch | null
  isOver(timestampMs: number): boolean
  change(last: Checkpoint): void
  /** The price of this epoch changes too, so that a test sees it at once. */
  setGasPrice(price: bigint): void
  undo(tip: Checkpoint): void
}

export const EPOCH_MS = 24 * 60 * 60 * 1000

export function createEpochs(startMs: number, gasPrice: bigint): Epochs {
  const first: Epoch = { epoch: 0n, startMs, firstCheckpoint: 0, gasPrice, last: null }
  let epochs: readonly Epoch[] = [first]
  const current = () => epochs[epochs.length - 1] ?? first
  const replaceCurrent = (change: Partial<Epoch>) => [...epochs.slice(0, -1), { ...current(), ...change }]

  function change({ sequenceNumber, timestampMs }: Checkpoint): void {
    const next: Epoch = {
      epoch: current().epoch + 1n,
      startMs: timestampMs,
      firstCheckpoint: sequenceNumber + 1,
      gasPrice: current().gasPrice,
      last: null,
    }
    epochs = [...replaceCurrent({ last: { checkpoint: sequenceNumber, endMs: timestampMs } }), next]
  }

  return {
    current,
    find: (epoch) => epochs.find((known) => known.epoch === epoch) ?? null,
    isOver: (timestampMs) => timestampMs >= current().startMs + EPOCH_MS,
    change,
    setGasPrice(price) {
      epochs = replaceCurrent({ gasPrice: price })
    },
    undo({ sequenceNumber }) {
      epochs = epochs.filter(({ firstCheckpoint }) => firstCheckpoint <= sequenceNumber + 1)
      epochs = replaceCurrent({ last: null })
    },
  }
}
