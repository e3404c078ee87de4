/** The doctor checks everything that a party needs, and says how to fix each failure. */
import { loadPartyConfig } from '@tandem/party/config/load-party-config.ts'
import { type Check, type Finding, fail, ok, reasonOf } from './check.ts'
import { additions } from './checks/additions.ts'
import { affiliates } from './checks/affiliates.ts'
import { contracts } from './checks/contracts.ts'
import { database } from './checks/database.ts'
import { fees } from './checks/fees.ts'
import { inventory } from './checks/inventory.ts'
import { nodes } from './checks/nodes.ts'
import { prices } from './checks/prices.ts'
import { secrets } from './checks/secrets.ts'
import { solvers } from './checks/solvers.ts'
import { deposits, timelocks } from './checks/timelocks.ts'
import { createDoctorContext, type DoctorContext } from './doctor-context.ts'
import { createMask, effectiveConfig } from './mask.ts'

const checks: readonly Check[] = [
  secrets,
  database,
  deposits,
  additions,
  nodes,
  contracts,
  affiliates,
  fees,
  inventory,
  solvers,
  prices,
  timelocks,
]

export type CheckedFinding = Finding & { readonly check: string }

export type Diagnosis = {
  readonly party: 'service' | 'solver' | null
  readonly configuration: unknown
  readonly findings: readonly CheckedFinding[]
}

export async function diagnose(path: string): Promise<Diagnosis> {
  const seen = new Set<string>()
  const invalid = (error: unknown): Diagnosis => {
    const finding = fail(
      'configuration',
      createMask(seen)(reasonOf(error)),
      'correct the file; docs/configuration.md describes every setting',
    )
    return { party: null, configuration: null, findings: [{ check: 'configuration', ...finding }] }
  }
  let context: DoctorContext
  try {
    const { given, rows, readSecret } = await loadPartyConfig(path)
    context = await createDoctorContext(given, rows, path, async (reference) => {
      const value = await readSecret(reference)
      seen.add(value)
      return value
    })
  } catch (error) {
    return invalid(error)
  }
  try {
    const valid = { check: 'configuration', ...ok(context.config.environment, `${path} is a valid ${context.party} configuration`) }
    const found = await Promise.all(checks.map((check) => perform(check, context)))
    const mask = createMask(seen)
    const findings = [valid, ...found.flat()].map((finding) => ({ ...finding, text: mask(finding.text) }))
    return { party: context.party, configuration: effectiveConfig(context), findings }
  } finally {
    await context.close()
  }
}

async function perform(check: Check, context: DoctorContext): Promise<readonly CheckedFinding[]> {
  const findings = await check
    .run(context)
    .catch((error: unknown) => [
      fail(
        check.name,
        `the check itself failed: ${reasonOf(error)}`,
        'this is a bug in `tandem doctor`; the other checks are not affected',
      ),
    ])
  return findings.map((finding) => ({ check: check.name, ...finding }))
}
