/** The file that lists deployed contracts by asset: `packages/families/deployments/<environment>.json`, or the operator's own. */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { EnvironmentName } from '@tandem/protocol/registry/environment.ts'
import type { DeployedContracts } from '@tandem/protocol/registry/registry.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'

export type Deployments = Readonly<Record<AssetId, DeployedContracts & { readonly code_hash?: string }>>

/** Null for the local network, whose contracts are deployed at every start. */
export function publishedFile(environment: EnvironmentName): string | null {
  return environment === 'local' ? null : join(PACKAGE_ROOT, 'packages', 'families', 'deployments', `${environment}.json`)
}

/** Empty where there is no file yet. */
export async function readDeployments(path: string): Promise<Deployments> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${path} lists deployed contracts and must be JSON: correct it, or remove it to begin anew`, { cause })
  }
}

/** Sorted, so that two additions conflict in git only if they are of the same asset. */
export async function addDeployment(path: string, asset: AssetId, contracts: Deployments[AssetId]): Promise<void> {
  const all = Object.entries({ ...(await readDeployments(path)), [asset]: contracts })
  const sorted = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await writeFile(`${path}.new`, `${JSON.stringify(sorted, null, 2)}\n`)
  await rename(`${path}.new`, path)
}
