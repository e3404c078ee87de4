/** Runs requests in parallel, with a limit: public servers refuse too many at once. */

const LIMIT = 8

/** Answers in the order of the items. */
export async function inParallel<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<readonly R[]> {
  const answers: R[] = []
  for (let i = 0; i < items.length; i += LIMIT) answers.push(...(await Promise.all(items.slice(i, i + LIMIT).map(ask))))
  return answers
}
