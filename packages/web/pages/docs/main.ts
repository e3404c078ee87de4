/** The script of the reference. The pages are complete without it; it adds search while typing, copying, one language for all samples, and "try it". */
import { prepareSearch } from './search-box.ts'
import { prepareTry } from './try-it.ts'
import '../../shared/style.css'
import './docs.css'
import { effect } from '@preact/signals'
import { currentTheme, toggleTheme } from '../../shared/theme.ts'
import { docs, shared } from '../../texts.ts'

/** A language that is chosen for one sample applies to all of them, on the next page too. */
const KEY = 'tandem:docs:language'

/** Adds a copy button to each code block. */
const SHOWN_MS = 1_500

prepareTheme()
prepareLanguages()
prepareCode()
prepareSearch()
prepareTry()

function prepareCode(): void {
  for (const place of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'button plain copy'
    button.textContent = docs.copy
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(place.querySelector('code')?.textContent ?? '')
      button.textContent = docs.copied
      setTimeout(() => {
        button.textContent = docs.copy
      }, SHOWN_MS)
    })
    place.append(button)
  }
}

function prepareLanguages(): void {
  const chosen = localStorage.getItem(KEY)
  if (chosen !== null) choose(chosen)
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('.samples') === null) return
    // The clicked sample must stay in place although the ones above it change their height.
    const before = target.getBoundingClientRect().top
    choose(target.value)
    scrollBy(0, target.getBoundingClientRect().top - before)
    localStorage.setItem(KEY, target.value)
  })
}

function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.samples input')) if (input.value === language) input.checked = true
}

/** The button that switches between light and dark. */
function prepareTheme(): void {
  const button = document.querySelector<HTMLButtonElement>('.theme')
  if (button === null) return
  button.hidden = false
  button.addEventListener('click', toggleTheme)
  effect(() => {
    const isDark = currentTheme() === 'dark'
    button.setAttribute('aria-label', isDark ? shared.toLight : shared.toDark)
    button.dataset.theme = currentTheme()
  })
}
