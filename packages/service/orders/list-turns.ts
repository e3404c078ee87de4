/** Long lists are made in slices, so that everything else goes on in between, however long and many they are. */

/** Orders that are read and derived at once: some 5 ms. */
export const SLICE = 25

let last: Promise<void> = Promise.resolve()

/** All lists of the process take turns: one slice of one list for each turn of the event loop. */
function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}

/** `read` gets at most `SLICE` items at once; `describe` gets what was read, in its turn. */
export async function inSlices<Item, Read, Described>(
  items: readonly Item[],
  read: (slice: readonly Item[]) => Promise<readonly Read[]>,
  describe: (one: Read) => Described,
): Promise<Described[]> {
  const described: Described[] = []
  for (let start = 0; start < items.length; start += SLICE) {
    const found = await read(items.slice(start, start + SLICE))
    await nextTurn()
    for (const one of found) described.push(describe(one))
  }
  return described
}
