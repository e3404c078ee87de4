/** TronWeb, loaded when it is first needed: it takes half a second and tens of megabytes, which only those who use Tron should pay. */
export type TronWebModule = typeof import('tronweb')

let loading: Promise<TronWebModule> | undefined

export function loadTronWeb(): Promise<TronWebModule> {
  loading ??= import('tronweb')
  return loading
}
