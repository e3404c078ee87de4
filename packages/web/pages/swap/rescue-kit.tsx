/** The phrase and the rescue file, which bring money back if this browser is lost. The file changes with each swap. Shown once there is a swap. */
import { useSignal } from '@preact/signals'
import { swap } from '../../texts.ts'
import { entries } from './history.ts'
import { isPutOff, isWritten } from './phrase.ts'
import { PhraseDialog } from './phrase-dialog.tsx'
import { SaveRescueFile } from './rescue-file.tsx'
import { openTandem } from './tandem.ts'

export function RescueKit() {
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  if (entries.value.length === 0 && !isPutOff.value) return null
  return (
    <section class="stack" aria-labelledby="rescue-kit">
      <h2 id="rescue-kit">{swap.phrase.kit}</h2>
      {!isWritten.value && <p class="notice small">{swap.phrase.notWritten}</p>}
      <p class="small soft">{swap.phrase.kitWhat}</p>
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={() => {
            // This makes a phrase if there is none yet.
            void openTandem().then(() => {
              isOpen.value = true
            })
          }}
        >
          {swap.phrase.again}
        </button>
        <SaveRescueFile />
      </div>
      {isOpen.value && <PhraseDialog onClose={close} onDone={close} />}
    </section>
  )
}
