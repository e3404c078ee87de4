/** What an order gets with its payout, and what that costs. Null means that nobody asked for it. */
export type GasRequest = { readonly amount: bigint; readonly feeBips: number } | null
