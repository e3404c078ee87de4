// Makes valid spends of the contracts with one or two changes in their witness, chosen by a seed.
import { concatBytes } from '@noble/hashes/utils.js'
import { contractCases } from './contract-cases.ts'
import { createRandom, type Random } from './random-scripts.ts'
import { type SpendCase, unlock } from './spend.ts'

type Witness = readonly Uint8Array[]
type Change = { readonly name: string; apply(witness: Witness, random: Random): Witness }

const HASH_TYPES = [0x00, 0x01, 0x02, 0x03, 0x04, 0x41, 0x80, 0x81, 0x82, 0x83, 0x84, 0xff]
/** The lengths are around the limits of policy (80), of consensus (520), and of the contracts' size check (32). */
const LENGTHS = [0, 1, 31, 32, 33, 63, 64, 65, 66, 79, 80, 81, 255, 256, 519, 520, 521]

const pick = <T>(values: readonly T[], random: Random): T => values[random(values.length)] as T
const replaceAt = (witness: Witness, at: number, change: (item: Uint8Array) => Uint8Array): Witness =>
  witness.map((item, i) => (i === at ? change(item) : item))
const fill = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => random(256))
const flip = (item: Uint8Array, random: Random): Uint8Array => {
  const copy = Uint8Array.from(item)
  const at = random(Math.max(copy.length, 1))
  if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random(8))
  return copy
}
const resize = (item: Uint8Array, length: number): Uint8Array => {
  const copy = new Uint8Array(length)
  copy.set(item.subarray(0, length))
  return copy
}

const CHANGES: readonly Change[] = [
  { name: 'a bit of an item', apply: (witness, random) => replaceAt(witness, random(witness.length), (item) => flip(item, random)) },
  {
    name: 'the length of an item',
    apply: (witness, random) => replaceAt(witness, random(witness.length), (item) => resize(item, pick(LENGTHS, random))),
  },
  {
    name: 'an item without its last byte',
    apply: (witness, random) => replaceAt(witness, random(witness.length), (item) => item.subarray(0, -1)),
  },
  { name: 'an empty item', apply: (witness, random) => replaceAt(witness, random(witness.length), () => new Uint8Array(0)) },
  { name: 'an item of noise', apply: (witness, random) => replaceAt(witness, random(witness.length), (item) => fill(random, item.length)) },
  { name: 'an item too few', apply: (witness, random) => witness.toSpliced(random(witness.length), 1) },
  {
    name: 'an item too many',
    apply: (witness, random) => witness.toSpliced(random(witness.length + 1), 0, fill(random, pick(LENGTHS, random))),
  },
  { name: 'an item twice', apply: (witness, random) => witness.toSpliced(random(witness.length), 0, pick(witness, random)) },
  {
    name: 'two items exchanged',
    apply(witness, random) {
      const [a, b] = [random(witness.length), random(witness.length)]
      return witness.with(a, witness[b] as Uint8Array).with(b, witness[a] as Uint8Array)
    },
  },
  { name: 'an annex', apply: (witness, random) => [...witness, concatBytes(Uint8Array.of(0x50), fill(random, pick(LENGTHS, random)))] },
  {
    name: 'something that is no annex',
    apply: (witness, random) => [...witness, concatBytes(Uint8Array.of(0x51), fill(random, random(8)))],
  },
  {
    name: 'a hash type appended',
    apply: (witness, random) =>
      replaceAt(witness, random(Math.min(witness.length, 3)), (item) => Uint8Array.of(...item, pick(HASH_TYPES, random))),
  },
  {
    name: 'another hash type',
    apply: (witness, random) =>
      replaceAt(witness, random(Math.min(witness.length, 3)), (item) => Uint8Array.of(...item.subarray(0, -1), pick(HASH_TYPES, random))),
  },
  {
    name: 'a control block one step longer',
    apply: (witness, random) => replaceAt(witness, witness.length - 1, (item) => concatBytes(item, fill(random, 32))),
  },
  { name: 'a control block one step shorter', apply: (witness) => replaceAt(witness, witness.length - 1, (item) => item.subarray(0, -32)) },
  {
    name: 'another leaf version or parity',
    apply: (witness, random) => replaceAt(witness, witness.length - 1, (item) => Uint8Array.of(random(256), ...item.subarray(1))),
  },
]

export function fuzzedCases(count: number, seed: number): SpendCase[] {
  const random = createRandom(seed)
  const valid = contractCases.filter(({ verdict }) => verdict === 'standard')
  return Array.from({ length: count }, (_, i): SpendCase => {
    const original = valid[i % valid.length] as SpendCase
    const changes = [CHANGES[Math.floor(i / valid.length) % CHANGES.length] as Change, ...(random(4) === 0 ? [pick(CHANGES, random)] : [])]
    const own = random(2 ** 31)
    return {
      name: `${original.name}, fuzzed (${i}): ${changes.map(({ name }) => name).join(', ')}`,
      scripts: original.scripts,
      verdict: 'invalid',
      spend(coins) {
        const transaction = original.spend(coins)
        const choose = createRandom(own)
        const witness = changes.reduce(
          (changed: Witness, change) => (changed.length === 0 ? changed : change.apply(changed, choose)),
          transaction.inputs[0]?.witness ?? [],
        )
        return unlock(transaction, 0, witness, transaction.inputs[0]?.scriptSig)
      },
    }
  })
}
