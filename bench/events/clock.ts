/** A clock that all processes of this machine share, in milliseconds with fractions. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now()
}
