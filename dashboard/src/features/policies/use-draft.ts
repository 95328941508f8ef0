import type { EditorView } from '@codemirror/view'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useNavigateTo } from '../../routing/location.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { deleteDraft, type StoredDraft, storeDraft } from './draft-storage.ts'
import { type Check, editorExtensions } from './editor-extensions.ts'
import { activeVersionIn } from './superseded-alert.tsx'

/** The page shows a superseded base itself; other errors are shown by the confirmation. */
function ignoreSuperseded(error: unknown): void {
  if (!activeVersionIn(error)) throw error
}

/** State of a draft: its text, the result of the server's check, and publishing. Every change is stored in the window. */
export function useDraft(storageKey: string, stored: StoredDraft, original: string) {
  const { from } = stored
  const [base, setBase] = useState(stored.base)
  const [start, setStart] = useState(stored.source ?? original)
  const [source, setSource] = useState(start)
  const [check, setCheck] = useState<Check>()
  const [view, setView] = useState<EditorView>()
  const navigateTo = useNavigateTo()
  const store = useRef((_text: string) => {})
  store.current = (text) => storeDraft(storageKey, { from, base, source: text })
  const onText = useCallback((text: string) => {
    setSource(text)
    store.current(text)
  }, [])
  const extensions = useMemo(() => editorExtensions({ onText, onCheck: setCheck }), [onText])
  const publishing = useChange('post', '/admin/v1/policy-sets', {
    refresh: ['/admin/v1/policy-sets'],
    onDone: ({ id, name, version, warnings }) => {
      deleteDraft(storageKey)
      notifySuccess([`${name} v${version} is active.`, ...warnings].join(' '))
      navigateTo(`/policies/${id}`)
    },
  })
  const publish = () =>
    publishing.mutateAsync({ params: { query: { base_version: base } }, body: { source } }).catch(ignoreSuperseded)
  const reset = () => {
    view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: original } })
    setStart(original)
    setSource(original)
    deleteDraft(storageKey)
  }
  const superseding = activeVersionIn(publishing.error)
  const rebase = () => {
    if (!superseding) return
    setBase(superseding.id)
    storeDraft(storageKey, { from, base: superseding.id, source })
    publishing.reset()
  }
  return { start, source, check, view, setView, extensions, publish, reset, superseding, rebase, isChanged: source !== original }
}
