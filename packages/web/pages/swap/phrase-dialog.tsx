/** Shows the rescue phrase once, and compares two words with what the user has written down. */
import { useSignal } from '@preact/signals'
import { Dialog } from '../../shared/dialog.tsx'
import { swap } from '../../texts.ts'
import { entries } from './history.ts'
import { isPutOff, isWritten, markWritten, phraseWords } from './phrase.ts'
import { SaveRescueFile } from './rescue-file.tsx'
import { settings } from './settings.ts'

/** `onDone` is called when the phrase is written down, or was skipped where only play money is at stake. */
export function PhraseDialog({ onClose, onDone }: { onClose(): void; onDone(): void }) {
  const asked = useSignal<readonly number[] | null>(null)
  return (
    <Dialog title={asked.value !== null ? swap.phrase.compare : isWritten.value ? swap.phrase.yours : swap.phrase.title} onClose={onClose}>
      <div class="stack">
        {asked.value === null ? (
          <>
            <p>{swap.phrase.what}</p>
            <ol class="words">
              {phraseWords().map((word) => (
                <li key={word} class="mono">
                  {word}
                </li>
              ))}
            </ol>
            <p class="soft small">{swap.phrase.who}</p>
            {entries.value.length > 0 && (
              <div class="action">
                <SaveRescueFile />
                <span class="small soft">{swap.phrase.fileWhat}</span>
              </div>
            )}
            <button
              type="button"
              class="button main"
              onClick={() => {
                if (isWritten.value) onDone()
                else asked.value = pickTwo(phraseWords().length)
              }}
            >
              {isWritten.value ? swap.phrase.done : swap.phrase.written}
            </button>
            {settings.value?.play != null && !isWritten.value && (
              <button
                type="button"
                class="button plain"
                onClick={() => {
                  isPutOff.value = true
                  onDone()
                }}
              >
                {swap.phrase.skip}
              </button>
            )}
          </>
        ) : (
          <Comparison
            asked={asked.value}
            onBack={() => {
              asked.value = null
            }}
            onDone={onDone}
          />
        )}
      </div>
    </Dialog>
  )
}

function Comparison({ asked, onBack, onDone }: { readonly asked: readonly number[]; onBack(): void; onDone(): void }) {
  const given = useSignal<Readonly<Record<number, string>>>({})
  const isWrong = useSignal(false)
  function compare(event: Event): void {
    event.preventDefault()
    const words = phraseWords()
    isWrong.value = asked.some((at) => given.value[at]?.trim().toLowerCase() !== words[at])
    if (isWrong.value) return
    markWritten()
    onDone()
  }
  return (
    <form class="stack" onSubmit={compare}>
      {asked.map((at) => (
        <label key={at} class="field">
          <span class="label">{swap.phrase.check(at + 1)}</span>
          <input
            class="input mono"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={({ currentTarget }) => {
              given.value = { ...given.value, [at]: currentTarget.value }
            }}
          />
        </label>
      ))}
      <p class="wrong" role="alert">
        {isWrong.value ? swap.phrase.wrong : ''}
      </p>
      <button type="submit" class="button main">
        {swap.phrase.verify}
      </button>
      <button type="button" class="button plain" onClick={onBack}>
        {swap.phrase.back}
      </button>
    </form>
  )
}

/** The positions of two different words, in ascending order. */
function pickTwo(of: number): readonly number[] {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint8Array(2))
  const one = first % of
  const other = (one + 1 + (second % (of - 1))) % of
  return [one, other].toSorted((a, b) => a - b)
}
