/** One page of a client, which finds its orders by the secrets that it derives, has at most this many secret hashes. */
export const MAX_SECRET_HASHES = 20
