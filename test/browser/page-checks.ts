/** The checks of every browser test: the page keeps its policy, requests no other site and throws nothing. In every window size, theme and font nothing is cut and axe finds nothing. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

/** Pictures take as long as all checks of a page, so they are only taken on request. */
const SHOTS = process.env.TANDEM_SCREENSHOTS === 'yes' ? join(import.meta.dirname, '..', '..', '.tandem', 'screenshots') : null

/** Opens a page that adds its violations, errors and foreign requests to `problems`. */
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

export const WIDTHS = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const
const THEMES = ['light', 'dark'] as const
const IS_DARK = "matchMedia('(prefers-color-scheme: dark)').matches"

/** The flaws of the page in its current state, on a desktop and on a phone, light and dark. Takes a picture of each. */
export async function flaws(page: Page, name: string): Promise<readonly string[]> {
  const before = { size: page.viewportSize(), isDark: (await page.evaluate(IS_DARK)) as boolean }
  const found: string[] = []
  for (const width of Object.keys(WIDTHS) as (keyof typeof WIDTHS)[]) {
    await page.setViewportSize(WIDTHS[width])
    found.push(...(await misfits(page)).map((one) => `on a ${width}, ${one}`))
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      const violations = await axeViolations(
        page,
        width === 'desktop' && theme === 'light' ? null : theme === 'light' ? OF_LAYOUT : OF_COLOURS,
      )
      found.push(...violations.map((one) => `on a ${width}, ${theme}: ${one}`))
      await takeScreenshot(page, `${name}-${width}-${theme}`)
    }
  }
  if (before.size !== null) await page.setViewportSize(before.size)
  await page.emulateMedia({ colorScheme: before.isDark ? 'dark' : 'light' })
  return found
}

const OF_COLOURS = ['color-contrast'] as const
/** The rules whose result depends on the size of the window. The others run once. */
const OF_LAYOUT = [
  ...OF_COLOURS,
  'button-name',
  'landmark-one-main',
  'link-in-text-block',
  'link-name',
  'page-has-heading-one',
  'region',
  'scrollable-region-focusable',
  'skip-link',
  'target-size',
] as const

/** Checks WCAG A and AA and the rules of good practice: `rule: element` for each violation. `only` limits the rules; null means all. */
async function axeViolations(page: Page, only: readonly string[] | null): Promise<readonly string[]> {
  // The policy of the page forbids a script tag. The script stays until the next page is loaded.
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axe.source)
  const options = only === null ? {} : { runOnly: only }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** The fonts of a page: its own, which are narrow here, and the widest common ones. */
const FONTS = {
  narrow: {},
  wide: { '--sans': '"DejaVu Sans"', '--serif': '"DejaVu Serif"', '--mono': '"DejaVu Sans Mono"' },
} as const

export type Fonts = keyof typeof FONTS

/** Applies until another set is chosen. */
export async function useFonts(page: Page, fonts: Fonts): Promise<void> {
  const chosen: Readonly<Record<string, string>> = FONTS[fonts]
  const lines = Object.keys(FONTS.wide).map((name) => `style.setProperty('${name}', ${JSON.stringify(chosen[name] ?? '')})`)
  await page.evaluate(`{ const { style } = document.documentElement; ${lines.join(';')} }`)
}

/** The elements that do not fit in each set of fonts, so that the reader must scroll sideways or sees only a part. Code and texts that end in an ellipsis are allowed to. */
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

/** Words that people should not see: names of fields, and amounts in the smallest unit. Text that is marked as code may have them. */
export async function rawTexts(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(LIST_OF_RAW)) as readonly string[]
}

const LIST_OF_RAW = `[...document.querySelectorAll('body *:not(code, code *, pre, pre *, script, style, svg *, .mono, .mono *, details:not([open]) *)')]
  .filter((one) => one.checkVisibility())
  .flatMap((one) => [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data))
  .filter((text) => /\\b[a-z]+_[a-z_]+\\b|(?<![\\w.,\\u202f])\\d{6,}(?![\\w.])|smallest unit/.test(text))`

async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (SHOTS === null) return
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}
