// Finds the sources of Sui's framework, which tests on the Move VM need and this repository does not have.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'

const variable = 'TANDEM_SUI_FRAMEWORK'
const folder = process.env[variable]

/** The folder has `move-stdlib` and `sui-framework`: crates/sui-framework/packages of Sui, in the version of the compiler. */
export const framework = folder ?? ''

/** The suite is skipped with the reason in its name if no folder is named. A folder without the sources is a failure. */
export function describeOnVm(name: string, suite: () => void): void {
  if (folder !== undefined) {
    assertSources(folder)
    describe(name, suite)
    return
  }
  const reason = `${variable} does not name the folder of Sui's framework`
  process.stderr.write(`\nSKIPPED: ${name}: ${reason}\n`)
  describe.skip(`${name} [skipped: ${reason}]`, suite)
}

function assertSources(path: string): void {
  const missing = ['move-stdlib', 'sui-framework'].find((name) => !existsSync(join(path, name, 'Move.toml')))
  if (missing !== undefined) throw new Error(`${variable} names a folder without ${missing}`)
}
