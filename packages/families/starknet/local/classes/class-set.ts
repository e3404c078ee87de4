// Lists the classes that the simulator can run, by hash.
import type { ClassSet } from '../execution/run-call.ts'
import { selectorOf } from '../felt.ts'
import { accountClass } from './account.ts'
import type { ContractClass } from './contract-class.ts'
import { erc20Class } from './erc20.ts'
import { htlcClass } from './htlc.ts'
import { hostileAccountClasses, multisigAccountClass, outsideAccountClasses } from './other-accounts.ts'
import { udcClass } from './udc.ts'

/** A transaction must declare every other class. */
export const genesisClasses: readonly ContractClass[] = [
  accountClass,
  multisigAccountClass,
  ...hostileAccountClasses,
  ...outsideAccountClasses,
  erc20Class,
  udcClass,
]

const all: readonly ContractClass[] = [...genesisClasses, htlcClass]
const byHash = new Map(all.map((one) => [one.classHash, one]))
let names: ReadonlyMap<bigint, string> | undefined

export const builtInClasses: ClassSet = {
  find: (classHash) => byHash.get(classHash),
  entryPointName(selector) {
    names ??= new Map(all.flatMap(({ entryPoints }) => Object.keys(entryPoints).map((name) => [selectorOf(name), name])))
    return names.get(selector)
  },
}
