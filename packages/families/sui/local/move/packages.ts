// Finds the functions of packages. No Move runs here: the framework and our HTLC are known, other code is refused.
import { fromBase64, fromHex } from '@mysten/sui/utils'
import { htlcPackage } from '../../contract/artifacts/htlc.ts'
import type { PackageData } from '../objects/object.ts'
import type { ObjectReader } from '../objects/store.ts'
import { FRAMEWORK } from '../objects/types.ts'
import { frameworkModules } from './framework.ts'
import type { MoveFunction, MoveModule } from './function.ts'
import { htlcModule } from './htlc.ts'
import { events, HTLC } from './htlc-source.ts'

const htlcBytes = fromBase64(htlcPackage.module)
const htlcTypes = ['Registry', 'Order', 'Settled', ...Object.keys(events)]

/** A package never changes, so its module is kept. */
const htlcModules = new Map<string, MoveModule>()

export function findFunction(objects: ObjectReader, packageId: string, module: string, name: string): MoveFunction | null {
  const functions = packageId === FRAMEWORK ? frameworkModules[module] : module === HTLC ? htlcIn(objects, packageId) : undefined
  return functions?.[name] ?? null
}

function htlcIn(objects: ObjectReader, packageId: string): MoveModule | undefined {
  const data = objects.get(packageId)?.data
  const bytes = data?.kind === 'package' ? data.modules.get(HTLC) : undefined
  if (bytes === undefined || Buffer.compare(bytes, published(packageId)) !== 0) return undefined
  const known = htlcModules.get(packageId) ?? htlcModule(packageId)
  htlcModules.set(packageId, known)
  return known
}

/** A module on the chain names its own package. */
function published(packageId: string): Uint8Array {
  const module = Uint8Array.from(htlcBytes)
  module.set(fromHex(packageId), htlcPackage.selfAddressOffset)
  return module
}

/** Returns null if the modules are not ours. */
export function packageOf(modules: readonly Uint8Array[], linkage: readonly string[], packageId: string): PackageData | null {
  const [module] = modules
  if (module === undefined || modules.length > 1 || Buffer.compare(module, htlcBytes) !== 0) return null
  return {
    kind: 'package',
    modules: new Map([[HTLC, published(packageId)]]),
    typeOrigins: htlcTypes.map((datatypeName) => ({ moduleName: HTLC, datatypeName })),
    linkage,
  }
}
