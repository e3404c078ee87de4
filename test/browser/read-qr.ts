/** Reads a QR code (ISO/IEC 18004) from the path that draws it, without error correction: every module must be right. */

const QUIET_ZONE = 4
const LEVEL_L = 1
const BYTE_MODE = 4

type IsDark = (x: number, y: number) => boolean

/** `path` has `M{x} {y}h1v1h-1z` for each dark module; `size` is in modules, with the quiet zone. Reads up to version 5 at level L, which is one block. */
export function readQr(path: string, size: number): string {
  const dark = new Set([...path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${Number(x) - QUIET_ZONE} ${Number(y) - QUIET_ZONE}`))
  const side = size - 2 * QUIET_ZONE
  const version = (side - 17) / 4
  if (!Number.isInteger(version) || version < 1 || version > 5) throw new Error(`${side} modules a side: not a version up to 5`)
  for (const place of dark) {
    if (place.split(' ').some((at) => Number(at) < 0 || Number(at) >= side)) throw new Error(`a module in the quiet zone: ${place}`)
  }
  const isDark: IsDark = (x, y) => dark.has(`${x} ${y}`)
  assertFinders(isDark, side)
  // The format is stored xor 101010000010010.
  const level = 2 * bit(!isDark(0, 8)) + bit(isDark(1, 8))
  if (level !== LEVEL_L) throw new Error(`level ${level}, not L`)
  const mask = 4 * bit(!isDark(2, 8)) + 2 * bit(isDark(3, 8)) + bit(!isDark(4, 8))
  return textOf(dataBits(isDark, side, mask))
}

function bit(is: boolean): number {
  return is ? 1 : 0
}

/** Checks the three finder patterns, without which no scanner sees a code. */
function assertFinders(isDark: IsDark, side: number): void {
  for (const [left, top] of [
    [0, 0],
    [side - 7, 0],
    [0, side - 7],
  ] as const)
    for (let x = 0; x < 7; x += 1)
      for (let y = 0; y < 7; y += 1) {
        const ring = Math.max(Math.abs(x - 3), Math.abs(y - 3))
        if (isDark(left + x, top + y) !== (ring !== 2)) throw new Error(`no finder pattern at ${left} ${top}`)
      }
}

/** The modules two columns at a time, from the right, alternating up and down. */
function dataBits(isDark: IsDark, side: number, mask: number): string {
  let bits = ''
  for (let right = side - 1; right > 0; right -= right === 8 ? 3 : 2) {
    const isUp = ((right > 6 ? right : right + 1) / 2) % 2 === ((side - 1) / 2) % 2
    for (let step = 0; step < side; step += 1) {
      const y = isUp ? side - 1 - step : step
      for (const x of [right, right - 1]) if (!isFunction(x, y, side)) bits += bit(isDark(x, y) !== isMasked(mask, x, y))
    }
  }
  return bits
}

/** True for the finder patterns with their formats, the timing and the alignment pattern. */
function isFunction(x: number, y: number, side: number): boolean {
  const isFinder = (x < 9 && y < 9) || (x >= side - 8 && y < 9) || (x < 9 && y >= side - 8)
  const isAlignment = side > 21 && Math.abs(x - (side - 7)) <= 2 && Math.abs(y - (side - 7)) <= 2
  return isFinder || isAlignment || x === 6 || y === 6
}

function isMasked(mask: number, x: number, y: number): boolean {
  const values = [
    (x + y) % 2,
    y % 2,
    x % 3,
    (x + y) % 3,
    (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    ((x * y) % 2) + ((x * y) % 3),
    (((x * y) % 2) + ((x * y) % 3)) % 2,
    (((x + y) % 2) + ((x * y) % 3)) % 2,
  ]
  return values[mask] === 0
}

function textOf(bits: string): string {
  const read = (from: number, length: number) => Number.parseInt(bits.slice(from, from + length), 2)
  if (read(0, 4) !== BYTE_MODE) throw new Error(`mode ${read(0, 4)}, not bytes`)
  return String.fromCharCode(...Array.from({ length: read(4, 8) }, (_, at) => read(12 + 8 * at, 8)))
}
