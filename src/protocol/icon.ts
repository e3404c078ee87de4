/** What a small picture of a chain or an asset shows. */
export type Icon = {
  /** One to four letters. */
  readonly text: string
  /** Of the disc behind the letters: '#rrggbb'. */
  readonly color: `#${string}`
}
