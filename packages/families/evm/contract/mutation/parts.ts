import type { Mutant } from './mutants.ts'

/** The parts of a scenario are independent of each other. */
export type Part = {
  /** Mutants of these files are usually caught by this part. */
  readonly files: readonly Mutant['file'][]
  play(): Promise<void>
}

/** Plays all parts. Those that usually catch mutants of the file come first, because the first failure ends the scenario. */
export async function playParts(parts: readonly Part[], file: Mutant['file'] | null): Promise<void> {
  const isFirst = ({ files }: Part) => file !== null && files.includes(file)
  for (const part of [...parts.filter(isFirst), ...parts.filter((one) => !isFirst(one))]) await part.play()
}
