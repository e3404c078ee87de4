/** What a button does: it tells the user how far it is. */
type Say = (text: string, more?: { readonly tx?: { readonly chain: string; readonly hash: string }; readonly details?: string }) => void
export type Act = (say: Say) => Promise<void>
