/** A service that lies in one field: every leaf of its true answers, changed and left out, and every object left out, one at a time. Generated, so no field is forgotten. */
import { VerificationError } from '@tandem/chain-kit/browser/verification-error.ts'

type Path = readonly string[]
type Tree = { [name: string]: unknown }

/** `told`: the true answers by name. Returns the fields whose lie nobody noticed, as paths with dots; list items have the name `*`. */
export async function uncaughtLies(told: Tree, verify: (told: never) => unknown): Promise<readonly string[]> {
  await verify(structuredClone(told) as never)
  const uncaught = new Set<string>()
  for (const path of leavesOf(told, [])) {
    for (const lie of liesAbout(valueAt(told, path))) {
      const answers = structuredClone(told)
      change(answers, path, lie)
      if (!(await isCaught(() => verify(answers as never)))) uncaught.add(nameOf(path))
    }
  }
  for (const path of branchesOf(told, [])) {
    const answers = structuredClone(told)
    change(answers, path, undefined)
    // Whatever stops the SDK here stops the payment.
    const isStopped = await Promise.resolve(answers as never)
      .then(verify)
      .then(
        () => false,
        () => true,
      )
    if (!isStopped) uncaught.add(nameOf(path))
  }
  return [...uncaught].toSorted()
}

function nameOf(path: Path): string {
  return path.map((name) => (/^[0-9]+$/.test(name) ? '*' : name)).join('.')
}

/** Any other error than a `VerificationError` is a bug of the SDK. */
async function isCaught(verify: () => unknown): Promise<boolean> {
  try {
    await verify()
    return false
  } catch (error) {
    if (error instanceof VerificationError) return true
    throw error
  }
}

function leavesOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, part]) => leavesOf(part, [...path, name]))
}

/** Objects and lists, which are left out as a whole. */
function branchesOf(value: unknown, path: Path): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, part]) => branchesOf(part, [...path, name]))
  return path.length === 0 ? inner : [path, ...inner]
}

/** `undefined` leaves it out. */
function liesAbout(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [value === 0 ? 1 : 0, undefined]
  if (typeof value === 'string' && /^[1-9][0-9]*$/.test(value)) return [(BigInt(value) - 1n).toString(), undefined]
  if (typeof value === 'string') return [`${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}`, undefined]
  return [value === null ? '1' : null, undefined]
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce((value, name) => (value as Tree)[name], tree)
}

function change(tree: unknown, path: Path, value: unknown): void {
  const parent = valueAt(tree, path.slice(0, -1)) as Tree
  const name = path.at(-1) ?? ''
  if (value === undefined && !Array.isArray(parent)) delete parent[name]
  else parent[name] = value
}
