import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** Closing dialogs and menus return the focus to their button within this time. */
const SETTLE_MS = 60

const DIALOG = '[role=dialog]'
/** The page is inside of this element (shell.tsx). */
const PAGE = '#content'

const isFree = (): boolean => document.activeElement === null || document.activeElement === document.body
const isDisabled = (element: Element): boolean => element.matches(':disabled')

/** Moves the focus when it would be lost, so that keyboards continue in place and screen readers read the new page. */
class FocusKeeper {
  readonly #observer = new MutationObserver(() => {
    if (this.#isHeadingNext || isFree()) this.#schedule()
  })
  /** The element that had the focus last; undefined: the user has left it. */
  #last: HTMLElement | undefined
  /** The heading gets the focus as soon as the page has one. */
  #isHeadingNext = false
  #timer: ReturnType<typeof setTimeout> | undefined

  start(): () => void {
    document.addEventListener('focusin', this.#onFocus)
    document.addEventListener('focusout', this.#onBlur)
    this.#observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] })
    return () => {
      document.removeEventListener('focusin', this.#onFocus)
      document.removeEventListener('focusout', this.#onBlur)
      this.#observer.disconnect()
      clearTimeout(this.#timer)
    }
  }

  /** After a navigation. The focus stays on an element that the new page still has. */
  onNavigation(): void {
    this.#isHeadingNext = true
    this.#schedule()
  }

  readonly #onFocus = ({ target }: FocusEvent): void => {
    this.#last = target as HTMLElement
  }

  /** Forgets an element that lost the focus because the user clicked elsewhere, but not one that was disabled or removed. */
  readonly #onBlur = ({ target }: FocusEvent): void => {
    const element = target as HTMLElement
    // Read now: a request that fails at once enables the button before the timer runs.
    if (isDisabled(element)) return
    setTimeout(() => {
      if (this.#last === element && isFree() && element.isConnected && !isDisabled(element)) this.#last = undefined
    })
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#restore(), SETTLE_MS)
  }

  #restore(): void {
    if (document.activeElement?.closest(`${PAGE}, ${DIALOG}`)) this.#isHeadingNext = false
    if (isFree() && this.#last?.isConnected === false) this.#isHeadingNext = true
    if (this.#isHeadingNext) this.#focusHeading()
    // The request of the button has ended.
    else if (isFree() && this.#last && !isDisabled(this.#last)) this.#last.focus({ preventScroll: true })
  }

  #focusHeading(): void {
    const target = document.querySelector<HTMLElement>(DIALOG) ?? document.querySelector<HTMLElement>(`${PAGE} h1`)
    if (!target) return
    target.tabIndex = -1
    target.focus({ preventScroll: true })
    this.#isHeadingNext = false
  }
}

/** Keeps the focus in the pages of the shell: after navigations, in removed elements and in buttons whose request runs. */
export function useFocusKeeper(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const previous = useRef<string>(undefined)
  const keeper = useRef<FocusKeeper>(undefined)
  keeper.current ??= new FocusKeeper()
  useEffect(() => keeper.current?.start(), [])
  useEffect(() => {
    if (path === undefined) return
    if (previous.current !== undefined && previous.current !== path) keeper.current?.onNavigation()
    previous.current = path
  }, [path])
}
