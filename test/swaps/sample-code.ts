/** A sample of the documentation as a program in a folder of a test: the SDK is that of the sources, and what it keeps is in the folder. */
import { join } from 'node:path'

const sdk = join(import.meta.dirname, '../../packages/sdk/src')

export function sampleIn(folder: string, code: string): string {
  return code
    .replaceAll("'@tandem/sdk/node'", `'${join(sdk, 'node', 'index.ts')}'`)
    .replaceAll("'@tandem/sdk'", `'${join(sdk, 'index.ts')}'`)
    .replaceAll("'.tandem/swaps.json'", `'${join(folder, 'swaps.json')}'`)
}
