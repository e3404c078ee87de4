/** A button that does one thing at a time, and says what came of it. */
import { useSignal } from '@preact/signals'
import { rescue as texts } from '../../texts.ts'
import { type Act, messageOf } from './rescue.ts'

type Said = { readonly text: string; readonly isWrong: boolean }

/** `make` throws if what the user gave is not complete. */
export function useActions() {
  const said = useSignal<Said | null>(null)
  const isBusy = useSignal(false)
  async function run(make: () => Act): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    said.value = { text: texts.working, isWrong: false }
    try {
      await make()((text) => {
        said.value = { text, isWrong: false }
      })
    } catch (error) {
      said.value = { text: messageOf(error), isWrong: true }
    }
    isBusy.value = false
  }
  return { said, isBusy, run }
}

export type Actions = ReturnType<typeof useActions>

export function ActionButton({ actions, text, make }: { readonly actions: Actions; readonly text: string; readonly make: () => Act }) {
  return (
    <button type="button" class="button" disabled={actions.isBusy.value} onClick={() => void actions.run(make)}>
      {text}
    </button>
  )
}

export function Outcome({ actions: { said } }: { readonly actions: Actions }) {
  return (
    <p class={said.value?.isWrong === true ? 'outcome wrong' : 'outcome'} role="status">
      {said.value?.text ?? ''}
    </p>
  )
}
