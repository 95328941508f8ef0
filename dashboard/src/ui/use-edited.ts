import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { useUnsaved } from './use-unsaved.ts'

/**
 * Keeps a form in step with the thing that it edits: it follows changes from elsewhere until something is typed, then it keeps
 * what was typed and warns before that is lost. Call `form.resetDirty()` when it is saved.
 */
export function useEdited<V extends object>(form: UseFormReturnType<V>, values: V): void {
  const current = JSON.stringify(values)
  const followed = useRef(current)
  const dirty = form.isDirty()
  const latest = useRef(form)
  latest.current = form
  useEffect(() => {
    if (dirty || followed.current === current) return
    followed.current = current
    const fresh = JSON.parse(current) as V
    latest.current.setInitialValues(fresh)
    latest.current.setValues(fresh)
    latest.current.resetDirty(fresh)
  }, [dirty, current])
  useUnsaved(dirty)
}
