// Shows a built-in class in the form of `starknet_getClass`. Without a compiled class, the program is a placeholder.
import { hex, selectorOf } from '../felt.ts'
import type { ClassFields } from '../transactions/declared-class.ts'
import type { ContractClass } from './contract-class.ts'

const shown = new Map<bigint, ClassFields>()

export function simulatedClassJson({ classHash, entryPoints, abi, construct, compiled }: ContractClass): ClassFields {
  const known = shown.get(classHash)
  if (known !== undefined) return known
  const json = compiled?.() ?? placeholder({ entryPoints, abi, ...(construct && { construct }) })
  shown.set(classHash, json)
  return json
}

function placeholder({ entryPoints, abi, construct }: Pick<ContractClass, 'entryPoints' | 'abi' | 'construct'>): ClassFields {
  const selectors = Object.keys(entryPoints)
    .map(selectorOf)
    .sort((left, right) => (left < right ? -1 : 1))
  return {
    sierra_program: ['0x1', '0x7', '0x0'],
    contract_class_version: '0.1.0',
    entry_points_by_type: {
      CONSTRUCTOR: construct === undefined ? [] : [{ selector: hex(selectorOf('constructor')), function_idx: selectors.length }],
      EXTERNAL: selectors.map((selector, index) => ({ selector: hex(selector), function_idx: index })),
      L1_HANDLER: [],
    },
    abi: JSON.stringify(abi),
  }
}
