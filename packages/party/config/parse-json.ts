/** Parses JSON. An error says where the text is wrong, and never quotes it: a configuration may hold secrets by mistake. */

/** `what` names the text in the error, e.g. a path. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const at = faultAt(text)
    const before = text.slice(0, at).split('\n')
    const found = at >= text.trimEnd().length ? 'it ends too early' : 'something else than JSON allows there'
    throw new Error(`${what} is not valid JSON: line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${found}`)
  }
}

const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y
const SPACE = /[ \t\n\r]*/y

function faultAt(text: string): number {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found !== null) at += found[0].length
    return found !== null
  }
  const takeSign = (sign: string): boolean => {
    take(SPACE)
    if (text[at] !== sign) return false
    at += 1
    return true
  }
  const takeItems = (end: string, item: () => boolean): boolean => {
    if (takeSign(end)) return true
    do if (!item()) return false
    while (takeSign(','))
    return takeSign(end)
  }
  const takeText = (): boolean => {
    take(SPACE)
    return take(STRING)
  }
  const takeValue = (): boolean => {
    if (takeSign('{')) return takeItems('}', () => takeText() && takeSign(':') && takeValue())
    if (takeSign('[')) return takeItems(']', takeValue)
    return takeText() || take(SCALAR)
  }
  if (takeValue()) take(SPACE)
  return at
}
