/** Suggests the known name that a mistyped one probably means. */

/** The name with the smallest edit distance; null if even that is too far for a typing error. */
function nearestName(text: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(text.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best !== undefined && best.distance <= Math.max(2, Math.floor(text.length / 3)) ? best.name : null
}

export function didYouMean(text: string, names: readonly string[]): string {
  const nearest = nearestName(text, names)
  return nearest === null ? '' : `; do you mean "${nearest}"?`
}

/** Levenshtein: letters inserted, removed or replaced. */
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
