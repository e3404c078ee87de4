// Which functions a package has. No Move runs here: the framework and our HTLC are known, other code is refused.
import { fromBase64 } from '@mysten/sui/utils'
import { htlcPackage } from '../../contract/artifacts/htlc.ts'
import { moduleName } from '../../contract/client/calls.ts'
import { eventNames } from '../../contract/client/events.ts'
import { publishedModule } from '../../contract/client/package.ts'
import type { PackageData } from '../objects/object.ts'
import type { ObjectReader } from '../objects/store.ts'
import { FRAMEWORK } from '../objects/types.ts'
import { frameworkModules } from './framework.ts'
import type { MoveFunction, MoveModule } from './function.ts'
import { htlcModule } from './htlc.ts'

const htlcBytes = fromBase64(htlcPackage.module)
const htlcTypes = ['Registry', 'Order', 'Settled', ...eventNames]

/** By package. A package never changes. */
const htlcModules = new Map<string, MoveModule>()

/** Null if the package, the module or the function does not exist. */
export function findFunction(objects: ObjectReader, packageId: string, module: string, name: string): MoveFunction | null {
  const functions = packageId === FRAMEWORK ? frameworkModules[module] : module === moduleName ? htlcIn(objects, packageId) : undefined
  return functions?.[name] ?? null
}

function htlcIn(objects: ObjectReader, packageId: string): MoveModule | undefined {
  const data = objects.get(packageId)?.data
  const bytes = data?.kind === 'package' ? data.modules.get(moduleName) : undefined
  if (bytes === undefined || Buffer.compare(bytes, publishedModule(packageId)) !== 0) return undefined
  const known = htlcModules.get(packageId) ?? htlcModule(packageId)
  htlcModules.set(packageId, known)
  return known
}

/** The package that these modules become; null if they are not ours. */
export function packageOf(modules: readonly Uint8Array[], linkage: readonly string[], packageId: string): PackageData | null {
  const [module] = modules
  if (module === undefined || modules.length > 1 || Buffer.compare(module, htlcBytes) !== 0) return null
  return {
    kind: 'package',
    modules: new Map([[moduleName, publishedModule(packageId)]]),
    typeOrigins: htlcTypes.map((datatypeName) => ({ moduleName, datatypeName })),
    linkage,
  }
}
