// A built-in class as `starknet_getClass` shows it. There is no Sierra program behind it.
import { hex, selectorOf } from '../felt.ts'
import type { ContractClass } from './contract-class.ts'

const shown = new Map<bigint, Readonly<Record<string, unknown>>>()

export function simulatedClassJson({ classHash, entryPoints, abi, construct }: ContractClass): Readonly<Record<string, unknown>> {
  const known = shown.get(classHash)
  if (known !== undefined) return known
  const selectors = Object.keys(entryPoints)
    .map(selectorOf)
    .sort((left, right) => (left < right ? -1 : 1))
  const json = {
    sierra_program: ['0x1', '0x7', '0x0'],
    contract_class_version: '0.1.0',
    entry_points_by_type: {
      CONSTRUCTOR: construct === undefined ? [] : [{ selector: hex(selectorOf('constructor')), function_idx: selectors.length }],
      EXTERNAL: selectors.map((selector, index) => ({ selector: hex(selector), function_idx: index })),
      L1_HANDLER: [],
    },
    abi: JSON.stringify(abi),
  }
  shown.set(classHash, json)
  return json
}
