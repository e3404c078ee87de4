/** The button that changes between light and dark. */
import { effect } from '@preact/signals'
import { currentTheme, toggleTheme } from '../../shared/theme.ts'
import { shared } from '../../texts.ts'

export function prepareTheme(): void {
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
