/** The frame of every page: the masthead with links to the other pages, and the colophon. */
import type { ComponentChildren } from 'preact'
import { shared } from '../texts.ts'
import { Mark, MoonIcon, SunIcon } from './icons.tsx'
import { currentTheme, toggleTheme } from './theme.ts'
import './style.css'

const PLACES = [
  { path: '/', text: shared.swap },
  { path: '/docs', text: shared.docs },
  { path: '/rescue', text: shared.rescue },
] as const

type Path = (typeof PLACES)[number]['path']

/** `here` is the path of this page, if the masthead has it. `network` is a note beside the name, such as "local network". */
export function Layout({
  here,
  network,
  children,
}: {
  readonly here: Path | null
  readonly network?: string | null
  readonly children: ComponentChildren
}) {
  return (
    <div class="frame">
      <a class="skip" href="#main">
        {shared.skip}
      </a>
      <header class="masthead">
        <a class="wordmark" href="/">
          <Mark />
          {shared.name}
        </a>
        {network != null && <span class="network">{network}</span>}
        <nav aria-label={shared.pages}>
          {PLACES.map(({ path, text }) => (
            <a key={path} href={path} aria-current={path === here ? 'page' : undefined}>
              {text}
            </a>
          ))}
          <ThemeButton />
        </nav>
      </header>
      <main id="main">{children}</main>
      <footer class="colophon">
        {shared.colophon} <a href="/licences.txt">{shared.licences}</a>
      </footer>
    </div>
  )
}

function ThemeButton() {
  const isDark = currentTheme() === 'dark'
  return (
    <button type="button" class="button plain" onClick={toggleTheme} aria-label={isDark ? shared.toLight : shared.toDark}>
      {isDark ? <SunIcon /> : <MoonIcon />}
    </button>
  )
}
