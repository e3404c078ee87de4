/** A button that does one thing at a time, and says what came of it. */
import { useSignal } from '@preact/signals'
import { CopyButton } from '../../shared/copy-button.tsx'
import { ExplorerLink } from '../../shared/explorer-link.tsx'
import { rescue as texts } from '../../texts.ts'
import { factsOn } from './facts.ts'
import { type Act, messageOf, type Say } from './rescue.ts'

type Said = { readonly text: string; readonly isWrong: boolean; readonly tx?: Parameters<Say>[1] }

/** `make` throws if what the user gave is not complete. */
export function useActions() {
  const said = useSignal<Said | null>(null)
  const isBusy = useSignal(false)
  async function run(make: () => Act): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    said.value = { text: texts.working, isWrong: false }
    try {
      await make()((text, tx) => {
        // The transaction stays in sight.
        said.value = { text, isWrong: false, tx: tx ?? said.value?.tx }
      })
    } catch (error) {
      said.value = { text: messageOf(error), isWrong: true }
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
  const { text = '', isWrong = false, tx } = said.value ?? {}
  return (
    <div class={isWrong ? 'outcome notice alarm' : 'outcome notice'} role="status">
      {text !== '' && <p>{text}</p>}
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
