/** Looks at everything a party needs, and says of each thing whether it is well, and what to do if it is not. */
import { loadPartyConfig } from '../config/load-party-config.ts'
import { type Check, type Finding, fail, ok, reasonOf } from './check.ts'
import { contracts } from './checks/contracts.ts'
import { database } from './checks/database.ts'
import { gas } from './checks/gas.ts'
import { inventory } from './checks/inventory.ts'
import { nodes } from './checks/nodes.ts'
import { prices } from './checks/prices.ts'
import { secrets } from './checks/secrets.ts'
import { solvers } from './checks/solvers.ts'
import { timelocks } from './checks/timelocks.ts'
import { createPatient, type Patient } from './doctor-context.ts'
import { effectiveConfig } from './effective-config.ts'
import { createMask } from './mask.ts'

const checks: readonly Check[] = [secrets, database, nodes, contracts, gas, inventory, solvers, prices, timelocks]

export type CheckedFinding = Finding & { readonly check: string }

export type Diagnosis = {
  readonly party: 'service' | 'solver' | null
  /** Null when it is not valid. */
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
  let patient: Patient
  try {
    const { given, readSecret } = await loadPartyConfig(path)
    patient = await createPatient(given, path, async (reference) => {
      const value = await readSecret(reference)
      seen.add(value)
      return value
    })
  } catch (error) {
    return invalid(error)
  }
  try {
    const valid = { check: 'configuration', ...ok(patient.config.environment, `${path} is a valid ${patient.party} configuration`) }
    const found = await Promise.all(checks.map((check) => perform(check, patient)))
    const mask = createMask(seen)
    const findings = [valid, ...found.flat()].map((finding) => ({ ...finding, text: mask(finding.text) }))
    return { party: patient.party, configuration: effectiveConfig(patient), findings }
  } finally {
    await patient.close()
  }
}

async function perform(check: Check, patient: Patient): Promise<readonly CheckedFinding[]> {
  const findings = await check
    .look(patient)
    .catch((error: unknown) => [
      fail(check.name, `the check itself failed: ${reasonOf(error)}`, 'this is a defect of the doctor; the other checks hold'),
    ])
  return findings.map((finding) => ({ check: check.name, ...finding }))
}
