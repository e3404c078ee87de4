/** Finds the refund package of a deposit address in a text: alone, or inside of the answer that told the address. */
import { type DepositPackage, readDepositPackage } from '@tandem/protocol/funding/deposit-package.ts'
import { SaidError } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

/** Throws in words for the user. Whether its parts belong together is for the SDK to say. */
export function packageIn(text: string): DepositPackage {
  const whole = parse(text)
  const found = fieldOf(fieldOf(whole, 'result') ?? whole, 'refund_package') ?? whole
  if (fieldOf(found, 'kind') !== 'deposit-address')
    throw new SaidError(fieldOf(found, 'family') === undefined ? texts.package.wrong : texts.package.otherKind)
  try {
    return readDepositPackage(found)
  } catch (cause) {
    throw new SaidError(texts.package.incomplete, { cause })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SaidError(texts.package.wrong, { cause })
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
