/** An icon is a drawing on a coloured ground. */
export type Icon = {
  /** The drawing is found by this name of one to four letters. */
  readonly text: string
  /** The disc behind the drawing has this colour, as '#rrggbb'. */
  readonly color: `#${string}`
}
