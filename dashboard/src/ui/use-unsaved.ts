import { useBlocker } from '@tanstack/react-router'

/** Asks whether what was typed may be lost. */
export const mayLeave = (): boolean => window.confirm('Leave without saving? Your changes will be lost.')

/**
 * While there are unsaved changes, asks before the page is left: by a link, by Back, by a reload or by closing the window. `parameter`
 * is one of the page's address whose change leaves the form as well.
 */
export function useUnsaved(unsaved: boolean, parameter?: string): void {
  const valueIn = (search: object): unknown =>
    parameter === undefined ? undefined : (search as Record<string, unknown>)[parameter]
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const leaves = current.pathname !== next.pathname || valueIn(current.search) !== valueIn(next.search)
      return leaves && !mayLeave()
    },
    enableBeforeUnload: () => unsaved,
    disabled: !unsaved,
  })
}

/** While work goes on in this window that other pages do not interrupt, asks before the window is closed or reloaded. */
export function useUnfinished(unfinished: boolean): void {
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: () => unfinished, disabled: !unfinished })
}
