/** TronWeb is loaded on first use: it takes half a second and tens of megabytes, which only users of Tron should pay. */
type TronWebModule = typeof import('tronweb')

let loading: Promise<TronWebModule> | undefined

export function loadTronWeb(): Promise<TronWebModule> {
  loading ??= import('tronweb')
  return loading
}
