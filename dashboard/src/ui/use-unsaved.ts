import { useBlocker } from '@tanstack/react-router'

/** Asks whether what was typed may be lost. */
export const mayLeave = (): boolean => window.confirm('Leave without saving? Your changes will be lost.')

/** While there are unsaved changes, asks before the page is left: by a link, by Back, by a reload or by closing the window. */
export function useUnsaved(unsaved: boolean): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !mayLeave(),
    enableBeforeUnload: () => unsaved,
    disabled: !unsaved,
  })
}
