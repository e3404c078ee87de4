// Tests on the Move VM need the sources of Sui's framework, which are not part of this repository.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'

const variable = 'TANDEM_SUI_FRAMEWORK'
const folder = process.env[variable]

/** The folder with `move-stdlib` and `sui-framework`: crates/sui-framework/packages of Sui, in the version of the compiler. */
export const framework = folder ?? ''

/** Skipped with the reason in its name if the sources are missing. With TANDEM_NODES_REQUIRED that is a failure. */
export function describeOnVm(name: string, suite: () => void): void {
  const reason = whyUnavailable()
  if (reason === null) {
    describe(name, suite)
    return
  }
  if (process.env.TANDEM_NODES_REQUIRED === '1') throw new Error(reason)
  process.stderr.write(`\nSKIPPED: ${name}: ${reason}\n`)
  describe.skip(`${name} [skipped: ${reason}]`, suite)
}

function whyUnavailable(): string | null {
  if (folder === undefined) return `${variable} does not name the folder of Sui's framework`
  const missing = ['move-stdlib', 'sui-framework'].find((name) => !existsSync(join(folder, name, 'Move.toml')))
  return missing === undefined ? null : `${variable} names a folder without ${missing}`
}
