/** Opens the refund package of a deposit address. It needs no phrase, and nothing is stored. */
import { signal } from '@preact/signals'
import type { DepositPackage } from '@tandem/protocol/funding/deposit-package.ts'
import { createTandem, memoryStorage, NodeError, VerificationError } from '@tandem/sdk'
import { type Explanation, SaidError, withDetails } from '../../shared/explain.ts'
import { errors, rescue as texts } from '../../texts.ts'
import type { AtDeposit } from './deposit-acts.ts'
import { explainError, factsOf, learnAssets } from './facts.ts'
import { packageIn } from './package-text.ts'
import { type Place, tandemOptions } from './rescue.ts'
import type { RescueSettings } from './settings.ts'

/** The SDK has verified the package, so its fields can be shown. */
export type OpenedPackage = AtDeposit & { readonly of: DepositPackage }

export const openedPackage = signal<OpenedPackage | null>(null)

export async function openPackage(settings: RescueSettings, place: Place, text: string): Promise<void> {
  openedPackage.value = null
  const of = packageIn(text)
  await learnAssets([of.asset])
  const facts = factsOf(of.asset)
  if (facts === null) throw new SaidError(texts.package.unknownAsset)
  const tandem = createTandem({ ...tandemOptions(settings, place), storage: memoryStorage() })
  try {
    await tandem.depositBalance(of)
  } catch (error) {
    // The node is asked after the package was verified.
    if (!(error instanceof NodeError)) throw error
  }
  openedPackage.value = { tandem, of, facts, initiator: of.initiator, deadline: Number(of.deadline) }
}

/** Terms that are none of their chain, and contracts that the page does not know, have no error of their own. */
export function explainPackage(error: unknown): Explanation {
  const explained = explainError(error)
  const isOfPackage = error instanceof VerificationError || explained.text === errors.unknown
  return isOfPackage ? withDetails(texts.package.changed, explained.details) : explained
}
