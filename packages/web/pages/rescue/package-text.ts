/** Finds the refund package of a deposit address in a text: alone, or inside of the answer that told the address. */
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

type Fields = Readonly<Record<string, unknown>>

/** Throws in words for the user. Whether the package is complete, and its parts belong together, is for the SDK to say. */
export function packageIn(text: string): Fields {
  const whole = parse(text)
  const found = fieldOf(fieldOf(whole, 'result') ?? whole, 'refund_package') ?? whole
  if (isPackage(found)) return found
  throw new SaidError(fieldOf(found, 'family') === undefined ? texts.package.wrong : texts.package.otherKind)
}

function isPackage(found: unknown): found is Fields {
  return fieldOf(found, 'kind') === 'deposit-address'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SaidError(texts.package.wrong, { cause })
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined
}
