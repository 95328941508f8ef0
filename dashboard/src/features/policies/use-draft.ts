import type { EditorView } from '@codemirror/view'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useState, useSyncExternalStore } from 'react'
import { refreshPaths } from '../../api/queries.ts'
import { DraftSaver, type StoredDraft } from './draft-saver.ts'
import { type Check, editorExtensions } from './editor-extensions.ts'
import { localCopyOf } from './local-copy.ts'

/** State of a draft: its text in the editor, what the server has stored, and the result of the server's check. */
export function useDraft(draft: StoredDraft, canWrite: boolean) {
  const queries = useQueryClient()
  const [{ saver, copy }] = useState(() => {
    const kept = canWrite ? localCopyOf(draft.id) : undefined
    const copy = kept?.source === draft.source ? undefined : kept
    return { copy, saver: new DraftSaver(draft, copy, () => void refreshPaths(queries, ['/admin/v1/policy-drafts'], 'none')) }
  })
  const saving = useSyncExternalStore(saver.subscribe, saver.state)
  const [source, setSource] = useState(copy?.source ?? draft.source)
  const [start] = useState(source)
  const [check, setCheck] = useState<Check>()
  const [view, setView] = useState<EditorView>()
  const onText = useCallback(
    (text: string) => {
      setSource(text)
      saver.edit({ source: text })
    },
    [saver],
  )
  const extensions = useMemo(() => editorExtensions({ onText, onCheck: setCheck, readOnly: !canWrite }), [onText, canWrite])
  /** Replaces the text as one step that the editor can undo. */
  const replace = useCallback(
    (text: string) => view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    [view],
  )
  const isContinued = copy !== undefined
  return { ...saving, saver, id: draft.id, isContinued, canWrite, start, source, check, view, setView, extensions, replace }
}

export type DraftState = ReturnType<typeof useDraft>
