// Lists all promises of the program.
import { closeScenarios } from './close-scenarios.ts'
import { consentScenarios } from './consent-scenarios.ts'
import { depositScenarios } from './deposit-scenarios.ts'
import { foreignDepositScenarios } from './foreign-deposit-scenarios.ts'
import { initiateScenarios } from './initiate-scenarios.ts'
import type { Kind } from './order.ts'
import type { Scenario } from './scenario.ts'
import { settleScenarios } from './settle-scenarios.ts'
import { tokenScenarios } from './token-scenarios.ts'
import { vaultScenarios } from './vault-scenarios.ts'

const all = [
  ...initiateScenarios,
  ...settleScenarios,
  ...consentScenarios,
  ...closeScenarios,
  ...tokenScenarios,
  ...vaultScenarios,
  ...depositScenarios,
  ...foreignDepositScenarios,
]

export function scenariosOf(kind: Kind): readonly Scenario[] {
  return all.filter((scenario) => scenario.kind === undefined || scenario.kind === kind)
}
