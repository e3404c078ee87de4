// Writes JSON with 64-bit numbers, as nodes send them: clients that can read them get every digit.
import { randomUUID } from 'node:crypto'

const mark = randomUUID()
const marked = new RegExp(`"${mark}(-?\\d+)"`, 'g')

export function jsonText(value: unknown): string {
  let hasMark = false
  const text = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'bigint') return part
    if (BigInt(Number(part)) === part && Number.isSafeInteger(Number(part))) return Number(part)
    hasMark = true
    return `${mark}${part}`
  })
  return hasMark ? text.replace(marked, '$1') : text
}
