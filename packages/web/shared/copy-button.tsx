/** Copies a text, and confirms it in sight and to screen readers. */
import { useSignal } from '@preact/signals'
import { shared } from '../texts.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'

const SHOWN_MS = 2_000

/** `said` is the confirmation, if it is more than "Copied". */
export function CopyButton({
  text,
  label,
  name,
  said = shared.copied,
}: {
  readonly text: string
  readonly label?: string
  readonly name: string
  readonly said?: string
}) {
  const copied = useSignal(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    copied.value = true
    setTimeout(() => {
      copied.value = false
    }, SHOWN_MS)
  }
  // The accessible name contains the text of the button: people who use their voice say that text.
  const spoken = copied.value ? shared.copiedWhat(said, name) : (label ?? shared.copy(name))
  return (
    <button type="button" class="button plain" onClick={() => void copy()} aria-label={spoken}>
      {copied.value ? <CheckIcon /> : <CopyIcon />}
      <span aria-live="polite">{copied.value ? said : (label ?? '')}</span>
    </button>
  )
}
