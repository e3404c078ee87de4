/** The part of the first step for those who have no phrase: the refund package of a deposit address, pasted or as a file. */
import type { Explanation } from '../../shared/explain.ts'
import { Details } from '../../shared/problem.tsx'
import { rescue as texts } from '../../texts.ts'

/** The value of the button that opens the package. */
const BY_PACKAGE = 'package'

export function PackageFields({ problem, isBusy }: { readonly problem: Explanation | null; readonly isBusy: boolean }) {
  return (
    <details class="package">
      <summary>{texts.package.summary}</summary>
      <div class="stack">
        <p>{texts.package.what}</p>
        <div class="field">
          <label for="package-text">{texts.package.text}</label>
          <textarea
            id="package-text"
            name="package"
            class="input mono"
            rows={4}
            autocomplete="off"
            spellcheck={false}
            aria-describedby="package-problem"
            aria-invalid={problem !== null}
          />
        </div>
        <div class="field">
          <label for="package-file">{texts.package.file}</label>
          <input id="package-file" name="package-file" class="input" type="file" accept=".json,application/json,text/plain" />
        </div>
        <div class="row">
          <button type="submit" class="button" value={BY_PACKAGE} formNoValidate disabled={isBusy}>
            {texts.package.open}
          </button>
        </div>
        <div id="package-problem" role="alert">
          {problem !== null && (
            <>
              <p class="wrong">{problem.text}</p>
              <Details text={problem.details} />
            </>
          )}
        </div>
      </div>
    </details>
  )
}

export function submitsPackage(submitter: HTMLElement | null): boolean {
  return submitter instanceof HTMLButtonElement && submitter.value === BY_PACKAGE
}

/** What was pasted goes before the file. */
export async function packageTextIn(form: HTMLFormElement): Promise<string> {
  const data = new FormData(form)
  const [text, file] = [String(data.get('package') ?? '').trim(), data.get('package-file')]
  return text === '' && file instanceof File ? file.text() : text
}
