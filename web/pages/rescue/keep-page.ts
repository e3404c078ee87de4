/** Saves this page as one file that works without the service: everything is inside, with what the page knows of the service now. */
import { KEPT, type RescueSettings } from './settings.ts'

const FILE_NAME = 'tandem-rescue.html'

export async function keepPage(settings: RescueSettings): Promise<void> {
  const response = await fetch('/rescue/copy.html')
  if (!response.ok) throw new Error(`the copy cannot be loaded: ${response.status}`)
  const html = withSettings(await response.text(), settings)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([html], { type: 'text/html' }))
  link.download = FILE_NAME
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** As data, which no browser runs. `<` is escaped: no value can end the element. */
function withSettings(html: string, settings: RescueSettings): string {
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c')
  return html.replace('<div id="page">', () => `<script type="application/json" id="${KEPT}">${json}</script>\n<div id="page">`)
}
