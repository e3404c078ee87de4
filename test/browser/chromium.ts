/** A headless Chromium for tests, from Debian's packages with their own libraries and fonts, or the one of this machine if they cannot be fetched. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { reasonWithout } from '../nodes/describe-with-node.ts'
import { fetchPackages } from '../nodes/fetch.ts'
import { installedChromium } from './installed-chromium.ts'

const BINARY = 'usr/lib/chromium/chromium-headless-shell'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

export type Browser = {
  /** A context for one user, with its own storage. */
  open(options?: { readonly phone?: boolean; readonly dark?: boolean }): Promise<BrowserContext>
  close(): Promise<void>
}

export async function startChromium(): Promise<Browser> {
  const home = await mkdtemp(join(tmpdir(), 'tandem-chromium-'))
  const installed = (await reasonWithout('chromium')) === null ? null : await installedChromium()
  const { path, env } = installed === null ? await fetched(home) : { path: installed, env: {} }
  const browser = await chromium.launch({ executablePath: path, args: FLAGS, env: { ...process.env, ...env, HOME: home } })
  return {
    async open({ phone = false, dark = false } = {}) {
      const context = await browser.newContext({
        viewport: phone ? { width: 390, height: 844 } : { width: 1280, height: 900 },
        deviceScaleFactor: phone ? 2 : 1,
        isMobile: phone,
        hasTouch: phone,
        colorScheme: dark ? 'dark' : 'light',
        permissions: ['clipboard-read', 'clipboard-write'],
        reducedMotion: 'reduce',
      })
      context.setDefaultTimeout(180_000)
      return context
    },
    async close() {
      await browser.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** The program finds its data beside itself and starts itself again, so it is run without a wrapper, with its own libraries and fonts. */
async function fetched(home: string): Promise<{ readonly path: string; readonly env: Readonly<Record<string, string>> }> {
  const root = await fetchPackages('chromium')
  const triplets = (await readdir(join(root, 'usr', 'lib'))).filter((name) => name.endsWith('-linux-gnu'))
  const libraries = triplets.flatMap((triplet) => [
    join(root, 'usr', 'lib', triplet),
    join(root, 'lib', triplet),
    join(root, 'usr', 'lib', triplet, 'pulseaudio'),
  ])
  const fonts = join(home, 'fonts.conf')
  await mkdir(join(home, 'fonts-cache'))
  await writeFile(
    fonts,
    `<?xml version="1.0"?><fontconfig><dir>${join(root, 'usr', 'share', 'fonts')}</dir><cachedir>${join(home, 'fonts-cache')}</cachedir>` +
      // Pages name families that are not installed here, and symbol fonts would be used for text.
      '<selectfont><rejectfont><pattern><patelt name="family"><string>D050000L</string></patelt></pattern></rejectfont>' +
      '<rejectfont><pattern><patelt name="family"><string>Standard Symbols PS</string></patelt></pattern></rejectfont></selectfont>' +
      ['serif', 'sans-serif', 'monospace', 'system-ui', 'ui-monospace'].map(aliasOf).join('') +
      '<match target="pattern"><edit name="family" mode="append_last"><string>Liberation Sans</string></edit></match></fontconfig>',
  )
  return { path: join(root, BINARY), env: { LD_LIBRARY_PATH: libraries.join(':'), FONTCONFIG_FILE: fonts } }
}

function aliasOf(family: string): string {
  const font = family === 'serif' ? 'P052' : family.endsWith('monospace') ? 'Liberation Mono' : 'Liberation Sans'
  return `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
}
