/** A QR code, drawn as one path. The library is loaded when the first one is shown. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Modules around the code, which scanners need: ISO/IEC 18004. */
const QUIET_ZONE = 4

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const modules = useSignal<readonly (readonly boolean[])[]>([])
  useEffect(() => {
    void import('uqr').then(({ encode }) => {
      modules.value = encode(text, { border: QUIET_ZONE }).data
    })
  }, [text])
  const size = modules.value.length
  const path = modules.value.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <path d={path} fill="currentColor" />
    </svg>
  )
}
