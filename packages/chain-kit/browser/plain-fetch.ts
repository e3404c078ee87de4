/** The `fetch` of this place. Browsers refuse to call it as a method of another object, such as a node. */
export const plainFetch: typeof fetch = (...given) => globalThis.fetch(...given)
