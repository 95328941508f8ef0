import type { UseFormReturnType } from '@mantine/form'
import { useEffect, useRef } from 'react'
import { useUnsavedWarning } from './use-unsaved-warning.ts'

/**
 * Updates a form when the server's values change, until the operator edits it. Then it keeps the input and warns before it is
 * lost. Call `form.resetDirty(saved)` after saving: later input stays.
 */
export function useFormSync<V extends object>(form: UseFormReturnType<V>, values: V): void {
  const current = JSON.stringify(values)
  const applied = useRef(current)
  const dirty = form.isDirty()
  const latest = useRef(form)
  latest.current = form
  useEffect(() => {
    if (dirty || applied.current === current) return
    applied.current = current
    const fresh = JSON.parse(current) as V
    latest.current.setInitialValues(fresh)
    latest.current.setValues(fresh)
    latest.current.resetDirty(fresh)
  }, [dirty, current])
  useUnsavedWarning(dirty)
}
