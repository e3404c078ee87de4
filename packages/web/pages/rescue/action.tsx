/** Buttons that run one action at a time, and its outcome. */
import { useSignal } from '@preact/signals'
import { CopyButton } from '../../shared/copy-button.tsx'
import type { Explanation } from '../../shared/explain.ts'
import { ExplorerLink } from '../../shared/explorer-link.tsx'
import { Details } from '../../shared/problem.tsx'
import { rescue as texts } from '../../texts.ts'
import type { Act } from './act.ts'
import { explainError, factsOn } from './facts.ts'

type Said = Explanation & { readonly isWrong: boolean; readonly tx?: { readonly chain: string; readonly hash: string } | undefined }

/** `make` throws if the input of the user is incomplete. */
export function useActions() {
  const said = useSignal<Said | null>(null)
  const isBusy = useSignal(false)
  async function run(make: () => Act): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    said.value = { text: texts.working, details: null, isWrong: false }
    try {
      await make()((text, { tx, details } = {}) => {
        // The transaction stays visible.
        said.value = { text, details: details ?? null, isWrong: false, tx: tx ?? said.value?.tx }
      })
    } catch (error) {
      const { text, details } = explainError(error)
      said.value = { text, details, isWrong: true }
    }
    isBusy.value = false
  }
  return { said, isBusy, run }
}

export type Actions = ReturnType<typeof useActions>

export function ActionButton({
  actions,
  text,
  make,
  isMain = false,
}: {
  readonly actions: Actions
  readonly text: string
  readonly isMain?: boolean
  readonly make: () => Act
}) {
  return (
    <button type="button" class={isMain ? 'button main' : 'button'} disabled={actions.isBusy.value} onClick={() => void actions.run(make)}>
      {text}
    </button>
  )
}

export function Outcome({ actions: { said } }: { readonly actions: Actions }) {
  const { text = '', details = null, isWrong = false, tx } = said.value ?? {}
  return (
    <div class={isWrong ? 'outcome notice alarm' : 'outcome notice'} role="status">
      {text !== '' && <p>{text}</p>}
      <Details text={details} />
      {tx !== undefined && tx.hash !== '' && (
        <p class="small tx">
          <code>{tx.hash}</code>
          <CopyButton text={tx.hash} name={texts.transaction} />
          <ExplorerLink pattern={factsOn(tx.chain)?.explorerTxUrl ?? ''} tx={tx.hash} />
        </p>
      )}
    </div>
  )
}
