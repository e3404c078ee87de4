/** What the API asks of an engine, because only an engine has the key: to sign what affiliates can claim in one asset. */
import { bigintText, type Column, listOf, oneOf, shape, text } from '@tandem/party/store/database/columns.ts'
import { assetId } from '@tandem/party/store/database/domain-columns.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { QuestionKind } from '../engine-questions/question-kind.ts'

/** It has no amounts: the engine reads them from the ledger and the chain. */
export type ClaimQuestion = {
  readonly asset: AssetId
  /** The contract of the key that the API knows. An engine with another key signs nothing. */
  readonly contract: string
  readonly affiliates: readonly string[]
}

export type ClaimState =
  /** Either everything is paid, or no contract pays affiliates on this chain. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'claimable'
      readonly amount: bigint
      readonly total: bigint
      readonly signature: string
      readonly contract: string
    }
  /** Something is due but cannot be claimed now. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** The states are in the order of the affiliates. Rejects with a `TandemError` if no engine can sign now. */
export type SignClaims = (asked: ClaimQuestion) => Promise<readonly ClaimState[]>

const kindOf = shape<Pick<ClaimState, 'kind'>>({ kind: oneOf(['none', 'claimable', 'unavailable']) })
const claimable = shape({ amount: bigintText, total: bigintText, signature: text, contract: text })
const unavailable = shape({ reason: text })

const claimState: Column<ClaimState> = (value) => {
  const { kind } = kindOf(value)
  if (kind === 'none') return { kind }
  return kind === 'claimable' ? { kind, ...claimable(value) } : { kind, ...unavailable(value) }
}

export const claimQuestions: QuestionKind<ClaimQuestion, readonly ClaimState[]> = {
  name: 'sign claims of affiliates',
  asked: shape<ClaimQuestion>({ asset: assetId, contract: text, affiliates: listOf(text) }),
  answered: listOf(claimState),
  subjectOf: ({ asset }) => asset,
  unanswered: (seconds) =>
    `no engine signed the claim within ${seconds} s: one must run whose configuration has the private key in earnings.signing_key`,
}
