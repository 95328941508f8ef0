import { yaml } from '@codemirror/lang-yaml'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { Box, useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { styleNonce } from '../../ui/style-nonce.ts'
import classes from './code-editor.module.css'
import { highlighting } from './highlighting.ts'

interface CodeEditorProps {
  readonly label: string
  /** Initial text. Another value replaces the text. */
  readonly document: string
  /** Must be memoized: a new array recreates the editor. */
  readonly extensions: Extension
  /** Fits the height to the text, up to a limit. Default: fixed height. */
  readonly fits?: boolean
  readonly onView?: (view: EditorView) => void
}

export function CodeEditor({ label, document, extensions, fits = false, onView }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const current = useRef({ document, text: document })
  const dark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  useEffect(() => {
    if (!host.current) return
    if (current.current.document !== document) current.current = { document, text: document }
    const keepText = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) current.current = { document, text: state.doc.toString() }
    })
    const view = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: current.current.text,
        extensions: [
          EditorView.cspNonce.of(styleNonce()),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.theme(STYLES, { dark }),
          lineNumbers(),
          EditorView.lineWrapping,
          yaml(),
          highlighting,
          keepText,
          extensions,
        ],
      }),
    })
    onView?.(view)
    return () => view.destroy()
  }, [document, dark, label, extensions, onView])
  return <Box ref={host} className={classes.editor ?? ''} mod={{ fits }} />
}

const STYLES = {
  '&': { fontSize: '0.8125rem', height: '100%' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.5' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLine': { backgroundColor: 'var(--mantine-color-default-hover)' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
}
