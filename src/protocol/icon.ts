/** The content of a chain's or an asset's icon. */
export type Icon = {
  /** One to four letters. */
  readonly text: string
  /** Of the disc behind the letters: '#rrggbb'. */
  readonly color: `#${string}`
}
