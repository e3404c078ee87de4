/** Saves this page as one file that works without the service: everything is inside, with what the page knows of the service now. */
import { SaidError } from '../../shared/explain.ts'
import { saveFile } from '../../shared/save-file.ts'
import { rescue as texts } from '../../texts.ts'
import { KEPT, type RescueSettings } from './settings.ts'

const FILE_NAME = 'tandem-rescue.html'

export async function keepPage(settings: RescueSettings): Promise<void> {
  const response = await fetch('/rescue/copy.html')
  if (!response.ok) throw new SaidError(texts.notKept)
  saveFile(FILE_NAME, 'text/html', withSettings(await response.text(), settings))
}

/** As data, which no browser runs. `<` is escaped: no value can end the element. */
function withSettings(html: string, settings: RescueSettings): string {
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return html.replace('<div id="page">', () => `<script type="application/json" id="${KEPT}">${json}</script>\n<div id="page">`)
}
