import { useBlocker } from '@tanstack/react-router'
import i18next from 'i18next'

/** Asks for confirmation to discard changes. */
export const confirmLeave = (): boolean => window.confirm(i18next.t('ui:unsaved'))

/**
 * Asks for confirmation before a link, Back, a reload or closing the window discards unsaved changes. `parameter` is a query
 * parameter whose change also closes the form.
 */
export function useUnsavedWarning(unsaved: boolean, parameter?: string): void {
  const valueIn = (search: object): unknown =>
    parameter === undefined ? undefined : (search as Record<string, unknown>)[parameter]
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const leaves = current.pathname !== next.pathname || valueIn(current.search) !== valueIn(next.search)
      return leaves && !confirmLeave()
    },
    enableBeforeUnload: () => unsaved,
    disabled: !unsaved,
  })
}

/** Asks for confirmation before the window is closed or reloaded, for work that continues on other pages. */
export function useUnloadWarning(unfinished: boolean): void {
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: () => unfinished, disabled: !unfinished })
}
