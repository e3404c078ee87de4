/** The mutator replaces, removes, renames or adds one or two parts of a valid value. */
import fc from 'fast-check'
import { hostileValue } from './hostile.fixture.ts'

type Path = readonly (string | number)[]
type Change = { readonly at: number; readonly how: 'replace' | 'remove' | 'rename' | 'add'; readonly value: unknown }

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'rename' as const, 'add' as const),
  value: hostileValue,
})

export function mutated(base: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(base, fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([value, changes]) => changes.reduce<unknown>((current, next) => applied(current, next), value))
}

function applied(value: unknown, { at, how, value: given }: Change): unknown {
  const paths = pathsOf(value)
  const path = paths[at % paths.length] ?? []
  return edited(value, path, (part, name) => {
    if (how === 'replace') return [[name, given]]
    if (how === 'remove') return []
    if (how === 'rename') return [[`${name} `, part]]
    return [
      [name, part],
      ['extra', given],
    ]
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function pathsOf(value: unknown): readonly Path[] {
  const parts: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? value.map((part, index) => [index, part])
    : isRecord(value)
      ? Object.entries(value)
      : []
  return parts.flatMap(([name, part]) => [[name], ...pathsOf(part).map((rest) => [name, ...rest])])
}

type Edit = (part: unknown, name: string) => readonly (readonly [string, unknown])[]

function edited(value: unknown, path: Path, edit: Edit): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  const inside = (part: unknown, here: string) =>
    here !== String(name) ? [[here, part] as const] : rest.length === 0 ? edit(part, here) : [[here, edited(part, rest, edit)] as const]
  if (Array.isArray(value)) return value.flatMap((part: unknown, index) => inside(part, String(index)).map(([, changed]) => changed))
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).flatMap(([key, part]) => inside(part, key)))
  return value
}
