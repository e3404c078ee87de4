/** The first step: phrase and file, or a refund package; in a saved copy also nodes and service. */
import { useSignal } from '@preact/signals'
import type { TargetedEvent } from 'preact'
import { type Explanation, SaidError } from '../../shared/explain.ts'
import { Details } from '../../shared/problem.tsx'
import { rescue as texts } from '../../texts.ts'
import { explainError } from './facts.ts'
import { explainPackage, openPackage } from './open-package.ts'
import { PackageFields, packageTextIn, submitsPackage } from './package-fields.tsx'
import { type Given, open } from './rescue.ts'
import type { RescueSettings } from './settings.ts'

export function StartForm({ settings }: { readonly settings: RescueSettings }) {
  const problem = useSignal<Explanation | null>(null)
  const packageProblem = useSignal<Explanation | null>(null)
  const isBusy = useSignal(false)

  async function submit(event: TargetedEvent<HTMLFormElement, SubmitEvent>): Promise<void> {
    event.preventDefault()
    if (isBusy.value) return
    const form = event.currentTarget
    const byPackage = submitsPackage(event.submitter)
    isBusy.value = true
    problem.value = null
    packageProblem.value = null
    try {
      const given = await givenIn(form, settings)
      if (byPackage) await openPackage(settings, given, await packageTextIn(form))
      else await open(settings, given)
    } catch (error) {
      if (byPackage) packageProblem.value = explainPackage(error)
      else problem.value = explainError(error)
    }
    isBusy.value = false
  }

  return (
    <form class="stack sheet start" onSubmit={(event) => void submit(event)}>
      <div class="field">
        <label for="phrase">{texts.phrase}</label>
        <textarea
          id="phrase"
          name="phrase"
          class="input mono"
          rows={3}
          required
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          aria-describedby="phrase-hint phrase-problem"
          aria-invalid={problem.value !== null}
        />
        <p class="hint" id="phrase-hint">
          {texts.phraseHint}
        </p>
      </div>
      <div class="field">
        <label for="file">{texts.file}</label>
        <input id="file" name="file" class="input" type="file" accept=".json,application/json,text/plain" aria-describedby="file-hint" />
        <p class="hint" id="file-hint">
          {texts.fileHint}
        </p>
      </div>
      {settings.isCopy && <Elsewhere settings={settings} />}
      <button type="submit" class="button main" disabled={isBusy.value}>
        {isBusy.value ? texts.looking : texts.find}
      </button>
      <div id="phrase-problem" role="alert">
        {problem.value !== null && (
          <>
            <p class="wrong">{problem.value.text}</p>
            <Details text={problem.value.details} />
          </>
        )}
      </div>
      <PackageFields problem={packageProblem.value} isBusy={isBusy.value} />
    </form>
  )
}

/** It is shown only in a saved copy, because the policy of the served page allows no nodes but the operator's. */
function Elsewhere({ settings }: { readonly settings: RescueSettings }) {
  const lines = Object.entries(settings.nodes).map(([chain, url]) => `${chain} ${url}`)
  return (
    <>
      <div class="field">
        <label for="nodes">{texts.nodes}</label>
        <textarea
          id="nodes"
          name="nodes"
          class="input mono"
          rows={Math.max(3, lines.length + 1)}
          wrap="off"
          spellcheck={false}
          aria-describedby="nodes-hint"
        >
          {lines.join('\n')}
        </textarea>
        <p class="hint" id="nodes-hint">
          {texts.nodesHint}
        </p>
      </div>
      <div class="field">
        <label for="service">{texts.service}</label>
        <input id="service" name="service" class="input mono" value={settings.baseUrl} spellcheck={false} />
      </div>
      <div class="field">
        <label for="app">{texts.app}</label>
        <input id="app" name="app" class="input mono" value={settings.appId} spellcheck={false} />
      </div>
    </>
  )
}

async function givenIn(form: HTMLFormElement, settings: RescueSettings): Promise<Given> {
  const data = new FormData(form)
  const text = (name: string, otherwise: string) => (data.has(name) ? String(data.get(name)).trim() : otherwise)
  const file = data.get('file')
  return {
    phrase: text('phrase', ''),
    file: file instanceof File && file.size > 0 ? await file.text() : '',
    baseUrl: text('service', settings.baseUrl).replace(/\/+$/, ''),
    appId: text('app', settings.appId),
    nodes: data.has('nodes') ? nodesIn(text('nodes', '')) : settings.nodes,
  }
}

/** One line for each chain: its name and a URL. */
function nodesIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const [chain = '', url = ''] = line.trim().split(/[\s=]+/, 2)
      if (!URL.canParse(url)) throw new SaidError(texts.wrongNode(line.trim()))
      return [chain, url.replace(/\/+$/, '')]
    }),
  )
}
