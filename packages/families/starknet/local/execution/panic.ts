// Describes a contract that fails, with the calls that led to it, in the words of nodes.
import { type Felts, hex, paddedHex, shortString, textOf } from '../felt.ts'

export type Frame = { readonly address: bigint; readonly classHash: bigint; readonly selector: bigint }

/** Nodes put this structure into the data of CONTRACT_ERROR and TRANSACTION_EXECUTION_ERROR. */
export type NestedError =
  | string
  | { readonly contract_address: string; readonly class_hash: string; readonly selector: string; readonly error: NestedError }

export class Panic extends Error {
  /** The outermost call is first, and the one that failed is last. */
  readonly frames: Frame[] = []
  /** The list is empty if the failure is not a contract's. */
  readonly felts: Felts

  constructor(felts: Felts, message: string) {
    super(message)
    this.name = 'Panic'
    this.felts = felts
  }
}

/** Asserts and panics in Cairo name their reason as short strings. */
export function panic(...reasons: readonly string[]): Panic {
  const felts = reasons.map(shortString)
  return new Panic(felts, panicText(felts))
}

export function systemFailure(message: string): Panic {
  return new Panic([], message)
}

export function nestedError({ frames, message }: Panic): NestedError {
  return frames.reduceRight<NestedError>(
    (error, { address, classHash, selector }) => ({
      contract_address: hex(address),
      class_hash: hex(classHash),
      selector: hex(selector),
      error,
    }),
    message,
  )
}

/** Nodes show this text in `revert_reason` and `failure_reason`. */
export function revertText({ frames, message }: Panic): string {
  const [outermost] = frames
  const first = outermost === undefined ? '' : `0: Error in the called contract (${frameText(outermost)}):\n`
  const nested = frames.map((frame) => `Error in contract (${frameText(frame)}):\n`).join('')
  return `Transaction execution has failed:\n${first}Execution failed. Failure reason:\n${nested}${message}.\n`
}

function frameText({ address, classHash, selector }: Frame): string {
  return `contract address: ${paddedHex(address)}, class hash: ${paddedHex(classHash)}, selector: ${paddedHex(selector)}`
}

function panicText(felts: Felts): string {
  const texts = felts.map((felt) => `${hex(felt)} ('${textOf(felt) ?? ''}')`)
  return texts.length === 1 ? texts.join('') : `(${texts.join(', ')})`
}
