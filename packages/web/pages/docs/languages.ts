/** Who chooses a language for one sample wants it for all of them, on the next page too. */
const KEY = 'tandem:docs:language'

export function prepareLanguages(): void {
  const chosen = localStorage.getItem(KEY)
  if (chosen !== null) choose(chosen)
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest('.samples') === null) return
    // The sample that was clicked stays where it is, though those above it change their height.
    const before = target.getBoundingClientRect().top
    choose(target.value)
    scrollBy(0, target.getBoundingClientRect().top - before)
    localStorage.setItem(KEY, target.value)
  })
}

function choose(language: string): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('.samples input')) if (input.value === language) input.checked = true
}
