import { type ComponentType, cloneElement, type ReactElement, useState } from 'react'
import { notifyError } from './notify.ts'

export interface PopupProps {
  /** The button that opens the popup. */
  readonly target: ReactElement
}

interface ButtonProps {
  readonly onClick?: () => void
  readonly onFocus?: () => void
  readonly onPointerEnter?: () => void
}

interface LazyPopupProps<P extends object> {
  /** Loads the popup, which is open at first. */
  readonly load: () => Promise<ComponentType<P & PopupProps>>
  readonly popup: P
  readonly children: ReactElement<ButtonProps>
}

/** A button with a menu or popover that is loaded when the button is used, because positioning them is larger than most pages. */
export function LazyPopup<P extends object>({ load, popup, children }: LazyPopupProps<P>) {
  const [Popup, setPopup] = useState<ComponentType<P & PopupProps>>()
  if (Popup) return <Popup {...popup} target={children} />
  const preload = () => void load().catch(() => undefined)
  const open = () => void load().then((loaded) => setPopup(() => loaded), notifyError)
  return cloneElement(children, {
    'aria-haspopup': true,
    'aria-expanded': false,
    onPointerEnter: preload,
    onFocus: preload,
    onClick: open,
  } as ButtonProps)
}
