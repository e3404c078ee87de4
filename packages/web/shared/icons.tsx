/** Small drawings in the colour of the text around them. Screen readers skip them: the text beside each says the same. */
import type { ComponentChildren } from 'preact'

function Drawing({ children, box = '0 0 16 16' }: { readonly children: ComponentChildren; readonly box?: string }) {
  return (
    <svg
      viewBox={box}
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

/** Two wheels that turn together. */
export const Mark = () => (
  <Drawing box="0 0 28 20">
    <circle cx="10" cy="10" r="8" stroke-width="2.25" />
    <circle cx="18" cy="10" r="8" stroke-width="2.25" />
  </Drawing>
)

/** The icon of a coin that has none of its own. */
export const CoinIcon = () => (
  <Drawing>
    <circle cx="8" cy="8" r="7" />
    <circle cx="8" cy="8" r="3.5" />
  </Drawing>
)

export const CopyIcon = () => (
  <Drawing>
    <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
  </Drawing>
)

export const CheckIcon = () => (
  <Drawing>
    <path d="m3 8.5 3.5 3.5L13 4.5" />
  </Drawing>
)

export const CrossIcon = () => (
  <Drawing>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Drawing>
)

export const DownIcon = () => (
  <Drawing>
    <path d="m4 6 4 4 4-4" />
  </Drawing>
)

export const FlipIcon = () => (
  <Drawing>
    <path d="M5 13V3M2.5 5.5 5 3l2.5 2.5M11 3v10M8.5 10.5 11 13l2.5-2.5" />
  </Drawing>
)

export const OutIcon = () => (
  <Drawing>
    <path d="M6 3.5H3v9.5h9.5V10M9 3h4v4M13 3 7.5 8.5" />
  </Drawing>
)

export const SunIcon = () => (
  <Drawing>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1" />
  </Drawing>
)

export const MoonIcon = () => (
  <Drawing>
    <path d="M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z" />
  </Drawing>
)
