/** The buffers of this result are moved to the caller instead of copied, so that no copy stays in the worker's memory. */
export class Moving<T> {
  readonly value: T
  readonly moved: readonly ArrayBuffer[]

  constructor(value: T, moved: readonly ArrayBuffer[]) {
    this.value = value
    this.moved = moved
  }
}
