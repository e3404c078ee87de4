// Makes random scripts and mutated witnesses, reproducible from a seed, to find where two interpreters disagree.
import { concatBytes } from '@noble/hashes/utils.js'
import { OP, pushOf } from '../script/opcodes.ts'
import { createTransaction, type Transaction } from '../transaction/transaction.ts'
import { p2wshScript, type SpendCase, unlock, unsigned } from './spend.ts'
import { taprootOutput } from './taproot-tree.ts'

export type Random = (below: number) => number

export function createRandom(seed: number): Random {
  let state = seed | 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random(256))
}

/** Small numbers and their unusual encodings test arithmetic better than arbitrary bytes. */
function randomElement(random: Random): Uint8Array {
  switch (random(5)) {
    case 0:
      return new Uint8Array(0)
    case 1:
      return Uint8Array.of(1 + random(4))
    case 2:
      return Uint8Array.of(random(3) === 0 ? 0x80 : 0x81)
    case 3:
      return Uint8Array.of(random(3), random(2) * 0x80)
    default:
      return randomBytes(random, random(6))
  }
}

function randomInstruction(random: Random): Uint8Array {
  const kind = random(10)
  if (kind < 3) return Uint8Array.of(OP.ONE + random(4))
  if (kind === 3) return pushOf(randomElement(random))
  if (kind === 4) return Uint8Array.of([OP.IF, OP.NOTIF, OP.ELSE, OP.ENDIF][random(4)] ?? OP.NOP)
  if (kind < 9) return Uint8Array.of(OP.NOP + random(OP.CHECKSIGADD - OP.NOP))
  return Uint8Array.of(random(256))
}

function randomScript(random: Random): Uint8Array {
  return concatBytes(...Array.from({ length: 1 + random(12) }, () => randomInstruction(random)))
}

export function randomCases(count: number, seed: number): SpendCase[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, i): SpendCase => {
    const code = randomScript(random)
    const stack = Array.from({ length: random(4) }, () => randomElement(random))
    const output = taprootOutput([{ script: code }])
    const isTapscript = i % 2 === 0
    const witness = isTapscript ? [...stack, code, output.controlBlock(0)] : [...stack, code]
    return {
      name: `random ${isTapscript ? 'tapscript' : 'P2WSH'} ${Buffer.from(code).toString('hex')} on ${stack.map((each) => Buffer.from(each).toString('hex')).join(',')}`,
      scripts: [isTapscript ? output.script : p2wshScript(code)],
      verdict: 'invalid',
      spend: (coins) => unlock(unsigned({ coins }), 0, witness),
    }
  })
}

function mutateElement(element: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(element)
  const at = random(Math.max(copy.length, 1))
  switch (random(4)) {
    case 0:
      return copy.subarray(0, at)
    case 1:
      return concatBytes(copy, randomBytes(random, 1 + random(3)))
    case 2:
      return concatBytes(copy.subarray(0, at), randomBytes(random, 1), copy.subarray(at))
    default:
      copy[at] = (copy[at] ?? 0) ^ (1 << random(8))
      return copy
  }
}

/** One thing changes: a witness element, the scriptSig, the sequence, the locktime or the version. */
export function mutate(transaction: Transaction, random: Random): Transaction {
  const [input, ...others] = transaction.inputs
  if (input === undefined) return transaction
  const witness = [...input.witness]
  const at = random(Math.max(witness.length, 1))
  const element = witness[at] ?? new Uint8Array(0)
  const change = random(12)
  if (change < 6) witness[at] = mutateElement(element, random)
  else if (change === 6) witness.splice(at, 1)
  else if (change === 7) witness.splice(at, 0, element)
  else if (change === 8)
    return createTransaction({ ...transaction, inputs: [{ ...input, scriptSig: mutateElement(input.scriptSig, random) }, ...others] })
  else if (change === 9) return createTransaction({ ...transaction, inputs: [{ ...input, sequence: random(30) }, ...others] })
  else if (change === 10) return createTransaction({ ...transaction, lockTime: random(200) })
  else return createTransaction({ ...transaction, version: 1 + random(2) })
  return createTransaction({ ...transaction, inputs: [{ ...input, witness }, ...others] })
}
