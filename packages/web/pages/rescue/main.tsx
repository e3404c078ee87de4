/** The rescue page: phrase or file in, resume or refund out. It also works from a saved copy with the service gone. */
import { signal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { type Explanation, SaidError } from '../../shared/explain.ts'
import { Mark } from '../../shared/icons.tsx'
import { Layout } from '../../shared/layout.tsx'
import { Details } from '../../shared/problem.tsx'
import { shared, rescue as texts } from '../../texts.ts'
import { explainError } from './facts.ts'
import { FoundSwaps } from './found-swaps.tsx'
import { openedPackage } from './open-package.ts'
import { PackageCard } from './package-card.tsx'
import { opened } from './rescue.ts'
import { KEPT, type RescueSettings, readSettings } from './settings.ts'
import { StartForm } from './start-form.tsx'
import { findWallets } from './wallets.ts'
import './rescue.css'
import { saveFile } from '../../shared/save-file.ts'

/** Saves this page as one file that works without the service, with the settings that the service gives now. */
const FILE_NAME = 'tandem-rescue.html'

const keepProblem = signal<Explanation | null>(null)

function Page({ settings }: { readonly settings: RescueSettings }) {
  return (
    <div class="rescue stack">
      <h1>{texts.headline}</h1>
      <p class="lead">{texts.lead}</p>
      {!settings.isCopy && <Keep />}
      <StartForm settings={settings} />
      {openedPackage.value !== null && <PackageCard opened={openedPackage.value} />}
      {opened.value !== null && <FoundSwaps opened={opened.value} />}
    </div>
  )
}

function Keep() {
  async function keep(): Promise<void> {
    // The keys are read again, because a solver may have a new one since the page was opened.
    keepProblem.value = await readSettings()
      .then(keepPage)
      .then(() => null, explainError)
  }
  return (
    <div class="notice row keep">
      <p>{texts.keepHint}</p>
      <button type="button" class="button" onClick={() => void keep()}>
        {texts.keep}
      </button>
      <div role="alert">
        {keepProblem.value !== null && (
          <>
            <p class="wrong">{keepProblem.value.text}</p>
            <Details text={keepProblem.value.details} />
          </>
        )}
      </div>
    </div>
  )
}

/** A saved copy has no other pages beside it. */
function CopyFrame({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="frame">
      <header class="masthead">
        <span class="wordmark">
          <Mark />
          {shared.name}
        </span>
        <span class="network">{texts.savedCopy}</span>
      </header>
      <main id="main">{children}</main>
    </div>
  )
}

const place = document.getElementById('page')
if (place !== null) {
  findWallets()
  const settings = await readSettings().then(
    (read) => read,
    () => null,
  )
  const page = settings === null ? <p class="notice alarm">{texts.noSettings}</p> : <Page settings={settings} />
  render(settings?.isCopy === true ? <CopyFrame>{page}</CopyFrame> : <Layout here="/rescue">{page}</Layout>, place)
}

async function keepPage(settings: RescueSettings): Promise<void> {
  const response = await fetch('/rescue/copy.html')
  if (!response.ok) throw new SaidError(texts.notKept)
  saveFile(FILE_NAME, 'text/html', withSettings(await response.text(), settings))
}

/** The settings as data, which no browser runs. `<` is escaped, so that no value can end the element. */
function withSettings(html: string, settings: RescueSettings): string {
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return html.replace('<div id="page">', () => `<script type="application/json" id="${KEPT}">${json}</script>\n<div id="page">`)
}
