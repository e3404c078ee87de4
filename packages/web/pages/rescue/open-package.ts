/** Opens the refund package of a deposit address. It needs no phrase, and nothing is stored. */
import { signal } from '@preact/signals'
import { createTandem, type DepositAddress, memoryStorage, VerificationError } from '@tandem/sdk'
import { type Explanation, withDetails } from '../../shared/explain.ts'
import { errors, rescue as texts } from '../../texts.ts'
import type { AtDeposit } from './deposit-acts.ts'
import { explainError, factsOf, learnAssets } from './facts.ts'
import { packageIn } from './package-text.ts'
import { type Place, tandemOptions } from './rescue.ts'
import type { RescueSettings } from './settings.ts'

/** The SDK has verified the terms. */
export type OpenedPackage = AtDeposit & { readonly terms: DepositAddress }

export const openedPackage = signal<OpenedPackage | null>(null)

export async function openPackage(settings: RescueSettings, place: Place, text: string): Promise<void> {
  openedPackage.value = null
  const of = packageIn(text)
  const tandem = createTandem({ ...tandemOptions(settings, place), storage: memoryStorage() })
  const terms = await tandem.depositAddress(of, { read: false })
  await learnAssets([terms.asset])
  const facts = factsOf(terms.asset)
  if (facts === null) throw new Error(`the SDK has no facts of ${terms.asset}`)
  openedPackage.value = { tandem, of, terms, facts, initiator: terms.initiator, deadline: Number(terms.deadline) }
}

/** Terms that are none of their chain, assets and contracts that the page does not know, have no error of their own. */
export function explainPackage(error: unknown): Explanation {
  const explained = explainError(error)
  const isOfPackage = error instanceof VerificationError || explained.text === errors.unknown
  return isOfPackage ? withDetails(texts.package.changed, explained.details) : explained
}
