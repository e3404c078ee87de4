/** A modal dialog of the browser, which keeps the focus inside and closes on Escape. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { shared } from '../texts.ts'
import { CrossIcon } from './icons.tsx'

export function Dialog({ title, onClose, children }: { readonly title: string; readonly children: ComponentChildren; onClose(): void }) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="button plain" aria-label={shared.close} onClick={() => element.current?.close()}>
          <CrossIcon />
        </button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}
