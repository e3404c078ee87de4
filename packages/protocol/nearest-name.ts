/** Suggests the known names that a mistyped one probably means. */

const MAX_CONTAINING = 3
/** A shorter text is contained in too many names. */
const MIN_PART = 4

export function didYouMean(text: string, names: readonly string[]): string {
  const nearest = nearestNames(text, names)
  return nearest.length === 0 ? '' : `; do you mean ${nearest.map((name) => `"${name}"`).join(' or ')}?`
}

/** Returns the names that contain the text, if they are few. Otherwise the name with the smallest edit distance, unless that is too large for a typing error. */
function nearestNames(text: string, names: readonly string[]): readonly string[] {
  const [given, maxDistance] = [text.toLowerCase(), Math.max(2, Math.floor(text.length / 3))]
  const containing = given.length < MIN_PART ? [] : names.filter((name) => name.toLowerCase().includes(given))
  if (containing.length > 0 && containing.length <= MAX_CONTAINING) return containing
  // A much longer or shorter name cannot be near. Skipping it keeps a hostile text cheap.
  const ranked = names
    .filter((name) => Math.abs(name.length - given.length) <= maxDistance)
    .map((name) => ({ name, distance: editDistance(given, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= maxDistance ? [best.name] : []
}

/** The Levenshtein distance counts letters that are inserted, removed or replaced. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (letter === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
