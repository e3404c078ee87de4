/** A button beside each piece of code that copies it. */
import { docs } from '../../texts.ts'

const SHOWN_MS = 1_500

export function prepareCode(): void {
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
