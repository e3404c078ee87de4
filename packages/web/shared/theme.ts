/** The light or the dark theme: that of the system until the user chooses one. */
import { signal } from '@preact/signals'

type Theme = 'light' | 'dark'

const KEY = 'tandem:web:theme'
const system = globalThis.matchMedia('(prefers-color-scheme: dark)')
const chosen = signal(localStorage.getItem(KEY))
const systemTheme = signal<Theme>(system.matches ? 'dark' : 'light')
system.addEventListener('change', ({ matches }) => {
  systemTheme.value = matches ? 'dark' : 'light'
})

export function currentTheme(): Theme {
  return chosen.value === 'light' || chosen.value === 'dark' ? chosen.value : systemTheme.value
}

export function toggleTheme(): void {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark'
  chosen.value = next
  localStorage.setItem(KEY, next)
  document.documentElement.dataset.theme = next
}
