/** What every browser test asks of a page: no violation of its policy, no request elsewhere, no error, and nothing that axe objects to. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

const SHOTS = join(import.meta.dirname, '..', '..', '.tandem', 'screenshots')

/** Collects into `problems` what the page must not do. */
export async function watchedPage(context: BrowserContext, problems: string[]): Promise<Page> {
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content.Security|violates/i.test(message.text())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && hostname !== '127.0.0.1') problems.push(`asked ${hostname}`)
  })
  return page
}

/** WCAG A and AA, and the rules of good practice: `rule: element` for each violation. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  // Not by a script tag: the policy of the page forbids it.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** The fonts of a page: its own choice, which is narrow here, and the widest that are common. */
const FONTS = {
  narrow: {},
  wide: { '--sans': '"DejaVu Sans"', '--serif': '"DejaVu Serif"', '--mono': '"DejaVu Sans Mono"' },
} as const

export type Fonts = keyof typeof FONTS

/** From now on, until another set is chosen. */
async function useFonts(page: Page, fonts: Fonts): Promise<void> {
  const chosen: Readonly<Record<string, string>> = FONTS[fonts]
  const lines = Object.keys(FONTS.wide).map((name) => `style.setProperty('${name}', ${JSON.stringify(chosen[name] ?? '')})`)
  await page.evaluate(`{ const { style } = document.documentElement; ${lines.join(';')} }`)
}

/** What does not fit in each set of fonts: the reader would have to scroll sideways, or sees a part only. Code may need that, and what ends in an ellipsis. */
export async function misfits(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const fonts of Object.keys(FONTS) as Fonts[]) {
    await useFonts(page, fonts)
    const cut = (await page.evaluate(LIST_OF_CUT)) as readonly string[]
    found.push(...cut.map((one) => `in ${fonts} fonts: ${one}`))
  }
  await useFonts(page, 'narrow')
  return found
}

const LIST_OF_CUT = `[...document.querySelectorAll('html, body *:not(svg *, pre, pre *, textarea, input, select, select *)')]
  .filter((one) => one.scrollWidth > one.clientWidth && one.textContent.trim() !== '')
  .filter((one) => {
    const { overflowX, textOverflow, clipPath } = getComputedStyle(one)
    return one.localName === 'html' || (overflowX !== 'visible' && textOverflow !== 'ellipsis' && clipPath === 'none')
  })
  .map((one) => one.localName + '.' + one.className + ': ' + one.scrollWidth + ' pixels in ' + one.clientWidth + ': ' + one.innerText.slice(0, 60))`

export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}
