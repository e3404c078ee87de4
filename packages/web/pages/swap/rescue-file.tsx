/** Saves the rescue file that the rescue page asks for. */
import { useSignal } from '@preact/signals'
import type { Explanation } from '../../shared/explain.ts'
import { Problem } from '../../shared/problem.tsx'
import { saveFile } from '../../shared/save-file.ts'
import { swap } from '../../texts.ts'
import { explainError } from './catalog.ts'
import { openTandem } from './tandem.ts'

const FILE_NAME = 'tandem-rescue.json'

export function SaveRescueFile() {
  const problem = useSignal<Explanation | null>(null)
  async function save(): Promise<void> {
    problem.value = null
    try {
      saveFile(FILE_NAME, 'application/json', await (await openTandem()).exportFile())
    } catch (error) {
      problem.value = explainError(error)
    }
  }
  return (
    <>
      <button type="button" class="button" onClick={() => void save()}>
        {swap.phrase.file}
      </button>
      {problem.value !== null && <Problem of={problem.value} />}
    </>
  )
}
