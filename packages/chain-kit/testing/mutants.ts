/** Mutants are data: each replaces one text of a contract's source, and the scenario under which it is listed must fail. */

export interface Mutant {
  readonly name: string
  /** The text occurs exactly once in the source. */
  readonly text: string
  readonly replacement: string
  readonly noticedBy: string
}

export type Breaks = Readonly<Record<string, readonly (readonly [name: string, text: string, replacement: string])[]>>

export function mutantsOf(breaks: Breaks): readonly Mutant[] {
  return Object.entries(breaks).flatMap(([noticedBy, list]) =>
    list.map(([name, text, replacement]) => ({ name, text, replacement, noticedBy })),
  )
}

export function breakSource(source: string, { name, text, replacement }: Mutant): string {
  if (source.split(text).length !== 2) throw new Error(`the text of the mutant "${name}" must occur once in the source`)
  return source.replace(text, () => replacement)
}
