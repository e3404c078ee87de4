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

/** True if the reader would have to scroll sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
}

export async function takeScreenshot(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}
