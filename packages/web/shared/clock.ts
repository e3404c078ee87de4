/** The current time as a signal, in unix seconds, for countdowns. */
import { signal } from '@preact/signals'

const seconds = () => Math.floor(Date.now() / 1000)

export const now = signal(seconds())

setInterval(() => {
  now.value = seconds()
}, 500)
