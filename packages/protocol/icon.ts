/** The content of a chain's or an asset's icon. */
export type Icon = {
  /** One to four letters: its name, by which its drawing is found. */
  readonly text: string
  /** Of the disc behind the drawing: '#rrggbb'. */
  readonly color: `#${string}`
}
