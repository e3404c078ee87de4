/** How many secret hashes one request may look for: one page of a client that finds its orders by the secrets that it derives. */
export const MAX_SECRET_HASHES = 20
