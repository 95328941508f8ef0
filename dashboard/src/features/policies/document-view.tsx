import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeEditor } from './code-editor.tsx'

const READ_ONLY = EditorState.readOnly.of(true)

interface DocumentViewProps {
  readonly source: string
  /** Shows the changes since this text. */
  readonly since?: string
}

/** A read-only document, or its changes. */
export function DocumentView({ source, since }: DocumentViewProps) {
  const { t } = useTranslation('policies')
  const extensions = useMemo(
    () =>
      since === undefined
        ? READ_ONLY
        : [READ_ONLY, unifiedMergeView({ original: since, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 4 } })],
    [since],
  )
  return (
    <CodeEditor label={t(since === undefined ? 'document' : 'tabs.changes')} document={source} extensions={extensions} fits />
  )
}
