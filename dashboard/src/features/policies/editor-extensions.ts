import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, foldGutter, indentOnInput } from '@codemirror/language'
import { type Diagnostic, linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension, type Text } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap } from '@codemirror/view'
import { type ResponseOf, sendRequest } from '../../api/operations.ts'
import { complete } from './completion.ts'

export type Check = ResponseOf<'post', '/admin/v1/policy-sets/check'>
export type Problem = Check['errors'][number]

const PAUSE_MS = 400

interface Listeners {
  readonly onText: (text: string) => void
  readonly onCheck: (check: Check) => void
  readonly readOnly: boolean
}

/** Extensions for editing policies. The server checks the text after each pause. */
export const editorExtensions = ({ onText, onCheck, readOnly }: Listeners): Extension => [
  EditorState.readOnly.of(readOnly),
  search({ top: true }),
  highlightSelectionMatches(),
  history(),
  closeBrackets(),
  bracketMatching(),
  indentOnInput(),
  highlightActiveLine(),
  foldGutter(),
  autocompletion({ override: [complete] }),
  lintGutter(),
  linter(
    async ({ state }) => {
      const check = await sendRequest('post', '/admin/v1/policy-sets/check', { body: { source: state.doc.toString() } })
      onCheck(check)
      return check.errors.map((problem) => diagnosticOf(problem, state.doc))
    },
    { delay: PAUSE_MS },
  ),
  EditorView.updateListener.of(({ docChanged, state }) => {
    if (docChanged) onText(state.doc.toString())
  }),
  // Tab keeps its browser function, so that keyboard users can leave the editor.
  keymap.of([...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, ...searchKeymap]),
]

function diagnosticOf({ line, column, field, message }: Problem, doc: Text): Diagnostic {
  const { from, to } = doc.line(Math.min(line, doc.lines))
  const start = Math.min(from + column - 1, to)
  return { from: start, to, severity: 'error', message: field ? `${field}: ${message}` : message }
}

/** Moves the cursor to a line and scrolls to it. */
export function goToLine(view: EditorView | undefined, line: number): void {
  if (!view) return
  const { from } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) })
  view.focus()
}
